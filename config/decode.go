package config

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Error is a defect in a file that the user may edit, mostly in the value of a key.
type Error struct {
	File   string
	Line   int      // counted from 1, of what is no TOML; else 0
	Key    []string // as far as it is known
	Reason string

	Unknown bool // the file has no such key
}

func (e *Error) Error() string {
	text := e.Reason
	if len(e.Key) > 0 {
		text = strings.Join(e.Key, ".") + ": " + text
	}
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
	}
	return e.File + ": " + text
}

// value is a value of a file, and its key.
type value struct {
	path []string
	any  any
}

func (v value) fail(format string, args ...any) error {
	return &Error{Key: v.path, Reason: fmt.Sprintf(format, args...)}
}

func (v value) mustBe(want string) error { return v.fail("must be %s, not %s", want, kind(v.any)) }

// child is the value of a key of the table v, nil where that is missing.
func (v value) child(key string) value {
	table, _ := v.any.(map[string]any)
	v.path, v.any = append(v.path[:len(v.path):len(v.path)], key), table[key]
	return v
}

// list returns the values of an array, one of tables too.
func (v value) list(want string) (list []value, err error) {
	var all []any
	switch of := v.any.(type) {
	case []any:
		all = of
	case []map[string]any:
		for _, table := range of {
			all = append(all, table)
		}
	default:
		return nil, v.mustBe(want)
	}
	for _, v.any = range all {
		list = append(list, v)
	}
	return list, nil
}

// key returns the key of the account with this label, which stands at v.
func (v value) key(label string) (string, error) {
	key, err := Key(label)
	if err != nil {
		err = v.fail("%v", err)
	}
	return key, err
}

// field is a key that a table may have, and what reads its value.
type field struct {
	name string
	read func(value) error
}

// into returns a reader that stores in to what decode makes of a value.
func into[T any](to *T, decode func(value) (T, error)) func(value) error {
	return func(v value) (err error) {
		*to, err = decode(v)
		return err
	}
}

// fields reads a table. A key that is none of known is an error.
func (v value) fields(known ...field) error {
	return v.each(func(key string, of value) error { return of.asField(key, known) })
}

// asField reads the value of the key of a table.
func (v value) asField(key string, known []field) error {
	for _, f := range known {
		if f.name == key {
			return f.read(v)
		}
	}
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.name
	}
	slices.Sort(names)
	return &Error{Key: v.path, Reason: "unknown key; the known ones are: " + strings.Join(names, ", "), Unknown: true}
}

// each calls do for every key of a table, in their alphabetical order, until it fails.
func (v value) each(do func(key string, of value) error) error {
	table, ok := v.any.(map[string]any)
	if !ok {
		return v.mustBe("a table")
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if err := do(key, v.child(key)); err != nil {
			return err
		}
	}
	return nil
}

func (v value) text() (string, error) {
	s, ok := v.any.(string)
	switch {
	case !ok:
		return "", v.mustBe("a string")
	case s == "":
		return "", v.fail("is empty; remove the line instead")
	}
	return s, nil
}

func (v value) absolute() (string, error) {
	s, err := v.text()
	if err == nil && !filepath.IsAbs(s) {
		err = v.fail("%q is not an absolute path", s)
	}
	return s, err
}

func (v value) label() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	_, err = v.key(s)
	return s, err
}

// wholeNumber reads a number from 1 to most, which is called name.
func wholeNumber(most int64, name string) func(value) (int, error) {
	return func(v value) (int, error) {
		n, ok := v.any.(int64)
		switch {
		case !ok:
			return 0, v.mustBe("a whole number")
		case n < 1 || n > most:
			return 0, v.fail("%d is not %s", n, name)
		}
		return int(n), nil
	}
}

func oneOf(allowed ...string) func(value) (string, error) {
	return func(v value) (string, error) {
		s, err := v.text()
		if err == nil && !slices.Contains(allowed, s) {
			err = v.fail("%q is not one of: %s", s, strings.Join(allowed, ", "))
		}
		return s, err
	}
}

// listOf returns a reader of an array whose items read reads.
func listOf(read func(value) (string, error)) func(value) ([]string, error) {
	return func(v value) (items []string, err error) {
		list, err := v.list("an array of strings")
		if err != nil {
			return nil, err
		}
		for _, of := range list {
			item, err := read(of)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	}
}

// pattern reads a pattern of path.Match for one name.
func (v value) pattern() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	if _, err := path.Match(s, ""); err != nil || strings.ContainsRune(s, '/') {
		return "", v.fail("%q is not a pattern for a name", s)
	}
	return s, nil
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
	case []any, []map[string]any:
		return "an array"
	}
	return "a date or time"
}
