package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"swop/manager/disk"
)

// SelectorFile is the name of the selector in [Places].Config.
const SelectorFile = "selector.toml"

// Selector says which account is active, and where. Labels are as the user wrote them.
type Selector struct {
	Account   string // "" where none is active
	Directory []Binding
}

// Binding gives the account of a directory and of all below it. Path is absolute with links resolved.
type Binding struct {
	Path    string
	Account string
}

// ParseSelector reads the text of a selector; file is its name in errors. What does not parse, an unknown key, a wrong type or
// value is a [*FileError]. An empty text is an empty selector.
func ParseSelector(text []byte, file string) (Selector, error) {
	doc, err := parseDocument(string(text), file)
	if err != nil {
		return Selector{}, err
	}
	return doc.selector()
}

// FastSelector is [ReadSelector] for a file that is plain, or not there. It reports false for any other and for every defect, which
// ReadSelector tells.
func FastSelector(places Places) (Selector, bool) {
	doc, ok := readFast(places, SelectorFile)
	if !ok {
		return Selector{}, false
	}
	s, err := doc.selector()
	return s, err == nil
}

func (doc document) selector() (s Selector, err error) {
	if err := doc.table(nil, doc.tree, "account", "directory"); err != nil {
		return s, err
	}
	if value, ok := doc.tree["account"]; ok {
		if s.Account, err = doc.label([]string{"account"}, value); err != nil {
			return Selector{}, err
		}
	}
	if s.Directory, err = doc.bindings(); err != nil {
		return Selector{}, err
	}
	return s, nil
}

func (d document) bindings() ([]Binding, error) {
	value, ok := d.tree["directory"]
	if !ok {
		return nil, nil
	}
	tables, err := tablesOf(value)
	if err != nil {
		return nil, d.fail([]string{"directory"}, "%v", err)
	}
	seen := map[string]bool{}
	var list []Binding
	for i, t := range tables {
		at := []string{"directory", fmt.Sprintf("#%d", i)}
		b, err := d.binding(at, t)
		if err != nil {
			return nil, err
		}
		if seen[b.Path] {
			return nil, d.fail(append(at, "path"), "%q is bound twice", b.Path)
		}
		seen[b.Path] = true
		list = append(list, b)
	}
	return list, nil
}

func (d document) binding(at []string, t map[string]any) (b Binding, err error) {
	if err := d.table(at, t, "path", "account"); err != nil {
		return b, err
	}
	for _, key := range []string{"path", "account"} {
		if _, ok := t[key]; !ok {
			return b, d.fail(at, "%s is missing", key)
		}
	}
	if b.Path, err = d.text1(append(at, "path"), t["path"]); err != nil {
		return b, err
	}
	if !filepath.IsAbs(b.Path) {
		return b, d.fail(append(at, "path"), "%q is not an absolute path", b.Path)
	}
	b.Path = filepath.Clean(b.Path)
	b.Account, err = d.label(append(at, "account"), t["account"])
	return b, err
}

// tablesOf returns the tables of an array, in both forms that TOML has for one: [[directory]] and directory = [{…}].
func tablesOf(value any) ([]map[string]any, error) {
	items, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("want an array of tables, not %s", kind(value))
	}
	var list []map[string]any
	for _, item := range items {
		t, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("want tables, not %s", kind(item))
		}
		list = append(list, t)
	}
	return list, nil
}

// For returns the label of the binding with the longest path that is dir or contains it, and that path; "" if there is none.
// dir is absolute with links resolved. Paths are compared component by component: /a/bc is not below /a/b.
func (s Selector) For(dir string) (label, path string) {
	for _, b := range s.Directory {
		if len(b.Path) > len(path) && Within(dir, b.Path) {
			label, path = b.Account, b.Path
		}
	}
	return label, path
}

// Within reports whether the absolute, clean path is dir or lies below it, by name only.
func Within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}

// Text returns the selector as TOML, ready to be written.
func (s Selector) Text() ([]byte, error) {
	for _, binding := range s.Directory {
		if !utf8.ValidString(binding.Path) {
			return nil, fmt.Errorf("selector: the name of %q is not UTF-8, as TOML wants it", binding.Path)
		}
	}
	b := []byte("# Which account codex runs as. Change it with: codex swop use, codex swop bind\n")
	if s.Account != "" {
		b = fmt.Appendf(b, "account = %s\n", tomlString(s.Account))
	}
	for _, binding := range s.Directory {
		b = fmt.Appendf(b, "\n[[directory]]\npath = %s\naccount = %s\n", tomlString(binding.Path), tomlString(binding.Account))
	}
	return b, nil
}

// tomlString returns s as a basic string of TOML.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// ReadSelector reads the selector. A missing file is an empty selector; one that another user could write is refused.
func ReadSelector(places Places) (Selector, error) {
	file := filepath.Join(places.Config, SelectorFile)
	text, err := readTrusted(file, places)
	if err != nil || text == "" {
		return Selector{}, err
	}
	return ParseSelector([]byte(text), file)
}

// WriteSelector replaces the selector; its directory is made if it is missing. A selector that is a link is written where it points.
func WriteSelector(places Places, s Selector) error {
	text, err := s.Text()
	if err != nil {
		return err
	}
	if err := disk.MakeDirs(places.Config); err != nil {
		return err
	}
	file, err := disk.LinkEnd(filepath.Join(places.Config, SelectorFile))
	if err != nil {
		return err
	}
	return disk.WriteFile(file, text)
}
