package verb

import (
	"fmt"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/say"
)

// PutBinding puts a binding into the selector, in the place of one of the same directory.
func PutBinding(sel *config.Selector, b config.Binding) {
	sel.Directory = append(slices.DeleteFunc(sel.Directory, IsBindingOf(b.Path)), b)
	slices.SortFunc(sel.Directory, func(a, b config.Binding) int { return strings.Compare(a.Path, b.Path) })
}

// BindPool lets the account of the directory come from a pool, and returns what is to be said of that, with the command that undoes it.
func BindPool(s Setup, dir, key string) (said string, err error) {
	name, undo := config.PoolName(key), "codex swop unbind"
	err = s.Store.ChangeSelector(func(sel *config.Selector) error {
		was := sel.For(dir)
		if was.Path == dir {
			undo = "codex swop bind " + say.ShellQuote(was.Account)
		}
		if was.Path != dir || was.Account != name {
			said = fmt.Sprintf(", now bound to the pool %q; undo that with: %s", key, undo)
		}
		PutBinding(sel, config.Binding{Path: dir, Account: name})
		return nil
	})
	return said, err
}

// IsBindingOf returns a function that reports whether a binding is that of dir.
func IsBindingOf(dir string) func(config.Binding) bool {
	return func(b config.Binding) bool { return b.Path == dir }
}
