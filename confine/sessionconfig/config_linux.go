// Package sessionconfig is about a confined session's copy of codex's configuration: what the session changed in it, and the answers to whether a
// directory is trusted.
package sessionconfig

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"golang.org/x/sys/unix"

	"swop/account"
	"swop/disk"
)

// Main is the name of the file that codex always reads; others are profiles.
const Main = "config.toml"

// names returns those of the configuration files in a directory.
func names(dir string) (list []string, err error) {
	d, err := disk.Open(dir, disk.NoFollow)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	err = d.Each(func(name string, _ disk.Entry) error {
		if name == Main || strings.HasSuffix(name, "."+Main) {
			list = append(list, name)
		}
		return nil
	})
	slices.Sort(list)
	return list, err
}

// read returns the text of a configuration file, "" for what is no file of a reasonable size.
func read(dir, name string) string {
	text, _ := disk.ReadFile(filepath.Join(dir, name), unix.O_NOFOLLOW, account.MaxCodexConfig) // nothing is kept of it
	return text
}

// Note copies the configuration files in view into before, for [Changed].
func Note(view, before string) error {
	list, err := names(view)
	for _, name := range list {
		err = errors.Join(err, os.WriteFile(filepath.Join(before, name), []byte(read(view, name)), 0o600))
	}
	return err
}

// Changed yields the configuration files in view that differ from those in before in more than what codex notes for itself, and their texts; of those that
// are new the first 16.
func Changed(before, view string) (iter.Seq2[string, string], error) {
	list, err := names(view)
	return func(yield func(name, text string) bool) {
		const most = 16
		added := 0
		for _, name := range list {
			was, now := read(before, name), read(view, name)
			if now == was || name == Main && same(was, now) {
				continue
			}
			if !disk.At(filepath.Join(before, name)).Exists() {
				added++
			}
			if now != "" && added <= most && !yield(name, now) {
				return
			}
		}
	}, err
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
