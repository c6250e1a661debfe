package verb

import (
	"slices"
	"strings"

	"swop/config"
)

// PutBinding adds a binding to the selector, in the place of an earlier one of the same directory.
func PutBinding(sel *config.Selector, b config.Binding) {
	sel.Directory = slices.DeleteFunc(sel.Directory, func(former config.Binding) bool { return former.Path == b.Path })
	sel.Directory = append(sel.Directory, b)
	slices.SortFunc(sel.Directory, func(a, b config.Binding) int { return strings.Compare(a.Path, b.Path) })
}
