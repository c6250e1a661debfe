//go:build unix

package rules

import (
	"fmt"

	"swop/config"
	"swop/internal/disk"
)

// Inputs is the sum of all that a look depends on beside the places: the rules, where the homes are, and which isolation holds.
func (r *Subject) Inputs(isolation string, private config.Private) uint64 {
	texts := [][]string{
		{r.Layout.Root, r.Layout.Home, RootName(r.Layout), r.Account.Key, isolation},
		private.CodexHome, private.Home, private.SharedCodexHome, private.SharedHome,
	}
	return disk.Sum(fmt.Sprintf("%d %q", uint64(tableSum), texts))
}
