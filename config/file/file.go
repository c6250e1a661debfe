package file

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
)

// ReadSelector returns the selector, an empty one if the file is missing. A file that another user could write is refused.
func ReadSelector(places config.Places) (config.Selector, error) {
	return read(places, config.SelectorFile, config.DecodeSelector)
}

// ReadSettings returns the settings, the defaults if config.toml is missing. A file that another user could write is refused.
func ReadSettings(places config.Places) (config.Settings, error) {
	return read(places, config.SettingsFile, config.DecodeSettings)
}

func read[T any](places config.Places, name string, decode func(*config.Table) (T, error)) (none T, err error) {
	text, err := config.ReadTrusted(&places, name)
	if err != nil {
		return none, err
	}
	return parse(text, filepath.Join(places.Config, name), decode)
}

// parse returns what a text says. file is its name in errors. What does not parse, an unknown key, a wrong type or value is a
// [*config.Error].
func parse[T any](text, file string, decode func(*config.Table) (T, error)) (none T, err error) {
	tree, err := config.Parse(text)
	if err == nil {
		none, err = decode(tree)
	}
	defect, ok := errors.AsType[*config.Error](err)
	if !ok {
		return none, err
	}
	defect.File = file
	if len(defect.Key) == 0 {
		return none, unquoted(defect, text)
	}
	other := config.SettingsFile
	if filepath.Base(file) == other {
		other = config.SelectorFile
	}
	if defect.Unknown && len(defect.Key) == 1 && config.HasKey(other, defect.Key[0]) {
		err = say.WithHint(err, fmt.Sprintf("%s belongs in %s", defect.Key[0], filepath.Join(filepath.Dir(file), other)))
	}
	return none, err
}

// unquoted returns the error, with a hint where the value in its line is text without quotes.
func unquoted(err *config.Error, text string) error {
	lines := strings.Split(text, "\n")
	if !strings.Contains(err.Reason, "at start of value") && !strings.HasPrefix(err.Reason, "expected keyword") || err.Line < 1 || err.Line > len(lines) {
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
func SelectorText(s config.Selector) ([]byte, error) {
	for _, binding := range s.Directory {
		if !utf8.ValidString(binding.Path) {
			return nil, fmt.Errorf("selector: the path %q is not UTF-8, which TOML requires", binding.Path)
		}
	}
	b := bytes.NewBufferString("# Which account codex runs as. Change it with: codex swop use, codex swop bind\n")
	enc := toml.NewEncoder(b)
	enc.Indent = ""
	err := enc.Encode(s)
	return b.Bytes(), err
}

// WriteSelector replaces the selector; its directory is made if it is missing. A selector that is a link is written where
// it leads; one that leads nowhere is refused, as it is read.
func WriteSelector(places config.Places, s config.Selector) error {
	text, err := SelectorText(s)
	if err != nil {
		return err
	}
	if err := disk.MakeDirs(places.Config); err != nil {
		return err
	}
	file := filepath.Join(places.Config, config.SelectorFile)
	if _, err := os.Lstat(file); err == nil {
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err // a link that leads nowhere stays
		}
	}
	return disk.WriteFile(file, text)
}
