//go:build unix

package rules

import (
	"fmt"

	"swop/config"
	"swop/internal/disk"
)

// Inputs is the sum of all that a look depends on beside the directories: the rules, where the homes are, and which isolation holds.
func (r *Subject) Inputs(isolation string, private config.Private) uint64 {
	a, shared := &r.Account, &r.Root.SharedHome
	texts := [][]string{
		{r.Layout.Root, r.Layout.Home, RootName(r.Layout), shared.Path, a.Key, string(a.Meta.State), a.Meta.Confine, isolation},
		r.Root.Former, private.CodexHome, private.Home, private.Shared,
	}
	return disk.Sum(fmt.Sprintf("%d %q %d %d", uint64(tableSum), texts, shared.Device, shared.Inode)) // what Root.Check would find
}
