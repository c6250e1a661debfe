package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// SelectorFile is the name of the selector in [Places].Config.
const SelectorFile = "selector.toml"

// Selector says which account is active, and where: a label as the user wrote it, or a pool as [PoolOf] reads it. The tags are for what
// writes it.
type Selector struct {
	Account   string    `toml:"account,omitempty"` // "" where none is active
	Directory []Binding `toml:"directory,omitempty"`
}

// Binding gives the account of a directory and of all below it. Path is absolute with links resolved.
type Binding struct {
	Path    string `toml:"path"`
	Account string `toml:"account"`
	// Bridges are the names of the bridges that sessions have there; empty for all of the account's.
	Bridges []string `toml:"bridges,omitempty"`
}

func (s *Selector) keys() []field {
	return []field{{"account", into(&s.Account, value.choice)}, {"directory", into(&s.Directory, value.bindings)}}
}

func (v value) bindings() (list []Binding, err error) {
	tables, err := v.list("an array of tables")
	seen := make(map[string]bool, len(tables))
	for i, here := range tables {
		here.path = []string{fmt.Sprintf("directory[%d]", i+1)}
		b, err := here.binding()
		if err != nil {
			return nil, err
		}
		if seen[b.Path] {
			return nil, here.child("path").fail("%q is bound twice", b.Path)
		}
		seen[b.Path] = true
		list = append(list, b)
	}
	return list, err
}

func (v value) binding() (b Binding, err error) {
	err = v.fields(
		field{"account", into(&b.Account, value.choice)},
		field{"bridges", into(&b.Bridges, listOf(value.text))},
		field{"path", into(&b.Path, value.absolute)},
	)
	switch {
	case err != nil:
		return Binding{}, err
	case b.Path == "":
		return Binding{}, v.fail("path is missing")
	case b.Account == "":
		return Binding{}, v.fail("account is missing")
	}
	b.Path = filepath.Clean(b.Path)
	return b, nil
}

// For returns the binding with the longest path that is dir or contains it, the zero Binding without one. dir is absolute with links
// resolved. Paths are compared component by component: /a/bc is not below /a/b.
func (s Selector) For(dir string) (found Binding) {
	for _, b := range s.Directory {
		if len(b.Path) > len(found.Path) && Within(dir, b.Path) {
			found = b
		}
	}
	return found
}

// Within reports whether the absolute, clean path is dir or lies below it, by name only.
func Within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}

// Outermost returns those of paths that lie in no other one, each once.
func Outermost(paths []string) (list []string) {
	listed := map[string]bool{}
	for _, path := range paths {
		listed[path] = false
	}
	inside := func(path string) bool {
		for dir := filepath.Dir(path); dir != path; path, dir = dir, filepath.Dir(dir) {
			if _, ok := listed[dir]; ok {
				return true
			}
		}
		return false
	}
	for _, path := range paths {
		if !listed[path] && !inside(path) {
			list, listed[path] = append(list, path), true
		}
	}
	return list
}
