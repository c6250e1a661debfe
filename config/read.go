package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"swop/internal/disk"
	"swop/internal/say"
)

// maxText bounds a file that people edit, in bytes: a selector with some eight hundred bound directories.
const maxText = 64 << 10

// ReadTrusted returns the contents of the file called name in the directory of the configuration, "" if it is missing. Such a file decides
// whose login is used: it may be readable by others and may be a link, but neither it nor a directory on the way to it may be
// writable by another user.
func ReadTrusted(places *Places, name string) (string, error) {
	return readTrustedText(filepath.Join(places.Config, name), places, maxText)
}

// ReadSelector returns the selector, an empty one if the file is missing. What does not parse, an unknown key, a wrong type or value is an
// [*Error]; a file that another user could write is refused.
func ReadSelector(places Places) (Selector, error) {
	var s Selector
	if err := read(&places, SelectorFile, s.keys()); err != nil {
		return Selector{}, err
	}
	return s, nil
}

// ReadSettings is [ReadSelector] for config.toml: the defaults if it is missing.
func ReadSettings(places Places) (Settings, error) {
	s := defaults
	if err := read(&places, SettingsFile, s.keys()); err != nil {
		return Settings{}, err
	}
	return s, nil
}

// read reads the keys of a file in the directory of the configuration.
func read(places *Places, name string, keys []field) error {
	text, err := ReadTrusted(places, name)
	if err != nil || text == "" {
		return err
	}
	return decode(text, filepath.Join(places.Config, name), keys)
}

// decode reads the keys of a text. file is its name in errors.
func decode(text, file string, keys []field) error {
	top, err := parse(text)
	if err == nil {
		err = value{any: top}.fields(keys...)
	}
	defect, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	defect.File = file
	if len(defect.Key) == 0 {
		return unquoted(defect, text)
	}
	return err
}

// unquoted returns the error, with a hint where the value in its line is text without quotes.
func unquoted(err *Error, text string) error {
	lines := strings.Split(text, "\n")
	if err.Reason != "expected value" || err.Line < 1 || err.Line > len(lines) {
		return err
	}
	key, value, _ := strings.Cut(lines[err.Line-1], "=")
	value, _, _ = strings.Cut(value, "#")
	if value = strings.TrimSpace(value); value == "" || strings.ContainsAny(value, "\"'[]{}\\") {
		return err
	}
	return say.WithHint(err, "text needs quotes: "+strings.TrimSpace(key)+` = "…"`) // not the value, which may be a token
}

// SelectorText returns the selector as TOML, ready to be written.
func SelectorText(s Selector) ([]byte, error) {
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
	text, err := SelectorText(s)
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
