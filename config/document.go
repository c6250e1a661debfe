package config

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// FileError is a defect in a file that the user may edit. It names the line, counted from 1, where that is known, and the key.
type FileError struct {
	File   string
	Line   int
	Key    string
	Reason string
}

func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Key != "" {
		fmt.Fprintf(&b, "%s: ", e.Key)
	}
	b.WriteString(e.Reason)
	return b.String()
}

// document is a parsed TOML file, kept as a tree so that names are matched exactly: decoding into a struct folds their case.
type document struct {
	file string
	text string
	tree map[string]any
}

func parseDocument(text, file string) (document, error) {
	doc := document{file: file, text: text}
	if tree, ok := fastTree(text); ok {
		doc.tree = tree
		return doc, nil
	}
	err := toml.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &doc.tree)
	var defect *toml.DecodeError
	if errors.As(err, &defect) {
		line, _ := defect.Position()
		return doc, &FileError{file, line, strings.Join(defect.Key(), "."), strings.TrimPrefix(defect.Error(), "toml: ")}
	}
	if err != nil {
		return doc, &FileError{File: file, Reason: err.Error()}
	}
	return doc, nil
}

// fail returns a [*FileError] for the key at path; a component "#n" stands for the n-th table of an array.
func (d document) fail(path []string, format string, args ...any) error {
	names := path
	if len(path) > 1 && path[0] == "directory" {
		names = append([]string{path[0]}, path[2:]...)
	}
	return &FileError{d.file, d.line(path), strings.Join(names, "."), fmt.Sprintf(format, args...)}
}

// table checks that every key of t is known.
func (d document) table(path []string, t map[string]any, known ...string) error {
	for _, key := range sortedKeys(t) {
		if !contains(known, key) {
			return d.fail(append(path, key), "unknown key, want one of: %s", strings.Join(known, ", "))
		}
	}
	return nil
}

func (d document) text1(path []string, value any) (string, error) {
	s, ok := value.(string)
	if !ok {
		return "", d.fail(path, "want a string, not %s", kind(value))
	}
	if s == "" {
		return "", d.fail(path, "is empty; remove the line instead")
	}
	return s, nil
}

func (d document) subtable(path []string, value any) (map[string]any, error) {
	t, ok := value.(map[string]any)
	if !ok {
		return nil, d.fail(path, "want a table, not %s", kind(value))
	}
	return t, nil
}

func (d document) label(path []string, value any) (string, error) {
	s, err := d.text1(path, value)
	if err != nil {
		return "", err
	}
	if _, err := Key(s); err != nil {
		return "", d.fail(path, "%v", err)
	}
	return s, nil
}

func (d document) oneOf(path []string, value any, allowed ...string) (string, error) {
	s, err := d.text1(path, value)
	if err == nil && !contains(allowed, s) {
		err = d.fail(path, "%q is not one of: %s", s, strings.Join(allowed, ", "))
	}
	return s, err
}

func kind(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case int64, float64:
		return "a number"
	case bool:
		return "a boolean"
	case map[string]any:
		return "a table"
	case []any:
		return "an array"
	}
	return "a date or time"
}

func sortedKeys(t map[string]any) []string {
	keys := make([]string, 0, len(t))
	for key := range t {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}
