package file

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"swop/config"
)

// Mention is a place of config.toml that names an account, and its lines.
type Mention struct {
	config.Mention
	file string
}

// Mentions returns the places of config.toml that name an account with such a key.
func Mentions(places config.Places, s config.Settings, such func(key string) bool) (list []Mention) {
	for _, of := range s.Mentions {
		if such(of.Key) {
			list = append(list, Mention{of, filepath.Join(places.Config, config.SettingsFile)})
		}
	}
	return list
}

func (m Mention) lines(between string) string {
	var texts []string
	for _, line := range m.Lines {
		texts = append(texts, strconv.Itoa(line))
	}
	return strings.Join(texts, between)
}

// String names the place: the file, its lines, and the key there.
func (m Mention) String() string {
	return fmt.Sprintf("%s:%s: %s", m.file, m.lines(","), toml.Key(m.Path))
}

// Rename says what to write so that the place names label.
func (m Mention) Rename(label string) string {
	old, new := strconv.Quote(m.Label), strconv.Quote(label)
	if m.Table {
		above := m.Path[:len(m.Path)-1]
		old, new = toml.Key(m.Path).String(), toml.Key(append(above[:len(above):len(above)], label)).String()
	}
	return fmt.Sprintf("write %s for %s in line %s of %s", new, old, m.lines(" and line "), m.file)
}
