package file

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"swop/config"
)

// Place names a place of config.toml: the file, its lines, and the key there.
func Place(places config.Places, m config.Mention) string {
	return fmt.Sprintf("%s:%s: %s", filepath.Join(places.Config, config.SettingsFile), lines(m, ","), toml.Key(m.Path))
}

// Renamed says what to write so that a place of config.toml names label.
func Renamed(places config.Places, m config.Mention, label string) string {
	old, new := strconv.Quote(m.Label), strconv.Quote(label)
	if m.Table {
		above := m.Path[:len(m.Path)-1]
		old, new = toml.Key(m.Path).String(), toml.Key(append(above[:len(above):len(above)], label)).String()
	}
	return fmt.Sprintf("write %s for %s in line %s of %s", new, old, lines(m, " and line "), filepath.Join(places.Config, config.SettingsFile))
}

func lines(m config.Mention, between string) string {
	var texts []string
	for _, line := range m.Lines {
		texts = append(texts, strconv.Itoa(line))
	}
	return strings.Join(texts, between)
}
