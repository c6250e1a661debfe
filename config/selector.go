package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// SelectorFile is the name of the selector in [Places].Config.
const SelectorFile = "selector.toml"

// Selector says which account is active, and where: a label as the user wrote it, or a pool as [PoolOf] reads it.
type Selector struct {
	Account   string    `toml:"account,omitempty" is:"choice"` // "" where none is active
	Directory []Binding `toml:"directory,omitempty"`
}

// Binding is the account, or the pool, of a directory and of all below it. Path is absolute with links resolved.
type Binding struct {
	Path    string `toml:"path" is:"absolute" needed:""`
	Account string `toml:"account" is:"choice" needed:""`
}

// check refuses a directory that has two accounts.
func (s *Selector) check(v value) error {
	seen := map[string]bool{}
	for i := range s.Directory {
		b := &s.Directory[i]
		if b.Path = filepath.Clean(b.Path); seen[b.Path] {
			return v.child(fmt.Sprintf("directory[%d]", i+1), nil).fail("%q is bound twice", b.Path)
		}
		seen[b.Path] = true
	}
	return nil
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
