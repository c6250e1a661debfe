// Package config, swop's own, says what the user decided: where swop's directories are, how a label becomes a directory name, what
// selector.toml and config.toml mean. It takes the environment as a value. Every call of codex links it.
package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"swop/internal/disk"
)

// ReadSelector returns the selector, an empty one if the file is missing. What does not parse, an unknown key, a wrong type or value is an
// error; a file that another user could write is refused.
func ReadSelector(places Places) (Selector, error) {
	var s Selector
	if err := read(&places, SelectorFile, &s); err != nil {
		return Selector{}, err
	}
	return s, nil
}

// ReadSettings is [ReadSelector] for config.toml: the defaults if it is missing.
func ReadSettings(places Places) (Settings, error) {
	s := defaults
	if err := read(&places, SettingsFile, &s); err != nil {
		return Settings{}, err
	}
	return s, nil
}

// read decodes a file in the directory of the configuration. The file decides whose login is used: it may be readable by others and may be
// a link, but neither the file nor a directory on the way to it may be writable by another user.
func read(places *Places, name string, to any) error {
	file := filepath.Join(places.Config, name)
	text, err := readTrustedText(file, places, maxText)
	if err != nil || text == "" {
		return err
	}
	return decode(text, file, to)
}

// selectorText returns the selector as TOML, ready to be written.
func selectorText(s Selector) ([]byte, error) {
	for _, binding := range s.Directory {
		if !utf8.ValidString(binding.Path) {
			return nil, fmt.Errorf("selector: the path %q is not UTF-8, which TOML requires", binding.Path)
		}
	}
	b := bytes.NewBufferString("# Which account codex runs as. Change it with: codex swop use, codex swop bind\n")
	enc := toml.NewEncoder(b)
	enc.Indent = ""
	err := enc.Encode(s)
	if err == nil && b.Len() > maxText {
		err = fmt.Errorf("selector: %d directories are too many: it would be larger than 64 KiB", len(s.Directory))
	}
	return b.Bytes(), err
}

// WriteSelector replaces the selector; its directory is made if it is missing. A selector that is a link is written where
// it leads; one that leads nowhere is refused, as it is read.
func WriteSelector(places Places, s Selector) error {
	text, err := selectorText(s)
	if err != nil {
		return err
	}
	if err := disk.MakeDirs(places.Config); err != nil {
		return err
	}
	file := filepath.Join(places.Config, SelectorFile)
	if _, err := os.Lstat(file); err == nil {
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err // a link that leads nowhere stays
		}
	}
	return disk.WriteFile(file, text)
}
