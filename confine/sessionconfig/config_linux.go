// Package sessionconfig is about a confined session's copy of codex's configuration: what the session changed in it, and the answers to whether a
// directory is trusted.
package sessionconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"golang.org/x/sys/unix"

	"swop/account"
	"swop/disk"
)

// Main is the name of the file that codex always reads; others are profiles.
const Main = "config.toml"

// read returns the configuration files in a directory, by name. What is no file of a reasonable size is left out.
func read(dir string) (map[string]string, error) {
	d, err := disk.Open(dir, disk.NoFollow)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	texts := map[string]string{}
	err = d.Each(func(name string, _ disk.Entry) error {
		if name != Main && !strings.HasSuffix(name, "."+Main) {
			return nil
		}
		if text, err := disk.ReadFile(filepath.Join(dir, name), unix.O_NOFOLLOW, account.MaxCodexConfig); err == nil {
			texts[name] = text
		}
		return nil
	})
	return texts, err
}

// Note copies the configuration files in view into before, for [Changed].
func Note(view, before string) error {
	texts, err := read(view)
	for name, text := range texts {
		err = errors.Join(err, os.WriteFile(filepath.Join(before, name), []byte(text), 0o600))
	}
	return err
}

// Changed returns the configuration files in view that differ from those in before, by name, in more than what codex notes for itself.
func Changed(before, view string) (map[string]string, error) {
	was, err := read(before)
	now, viewErr := read(view)
	for name, text := range now {
		if text == was[name] || name == Main && same(was[name], text) {
			delete(now, name)
		}
	}
	return now, errors.Join(err, viewErr)
}

// same reports whether two configurations differ in nothing but what codex notes for itself: which directories are trusted, which notices were seen, and
// how its screen looks.
func same(a, b string) bool {
	one, other := tables(a), tables(b)
	for _, noted := range []string{"projects", "notice", "tui"} {
		delete(one, noted)
		delete(other, noted)
	}
	return one != nil && other != nil && fmt.Sprint(one) == fmt.Sprint(other)
}

// tables returns what a TOML text holds, nil if it does not parse.
func tables(text string) map[string]any {
	tree := map[string]any{}
	if len(text) > account.MaxCodexConfig || strings.Count(text, "[") > 1<<12 {
		return nil
	}
	if _, err := toml.Decode(text, &tree); err != nil {
		return nil
	}
	return tree
}
