package verb

import (
	"slices"
	"strings"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
)

// PutBinding adds a binding to the selector, in the place of an earlier one of the same directory. It refuses a directory that a session
// made in its home: that will lie elsewhere, and run as another account there.
func (s Setup) PutBinding(sel *config.Selector, b config.Binding) error {
	if config.Within(b.Path, disk.Resolve(s.Places.Root)) {
		return disk.Unsafe("%s: is in swop's root; bind it where it lies once the sessions of its account have ended", say.Name(b.Path))
	}
	sel.Directory = slices.DeleteFunc(sel.Directory, func(former config.Binding) bool { return former.Path == b.Path })
	sel.Directory = append(sel.Directory, b)
	slices.SortFunc(sel.Directory, func(a, b config.Binding) int { return strings.Compare(a.Path, b.Path) })
	return nil
}
