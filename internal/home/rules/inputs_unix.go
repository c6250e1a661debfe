//go:build unix

package rules

import (
	"fmt"
	"hash/fnv"

	"swop/config"
)

// stampVersion changes with the meaning of a stamp.
const stampVersion = 11

// Inputs is the sum of all that a look depends on beside the directories: the rules, where the homes are, and which isolation holds.
func (r *Subject) Inputs(isolation string, private config.Private) uint64 {
	codex, home := Views(r.Layout, r.Account, private)
	sum := fnv.New64a() // it never fails
	for _, t := range []Rules{codex.Rules, home.Rules} {
		fmt.Fprintf(sum, "%q %q %+v %t %t ", t.Private, t.Shared, t.rows, t.ownTranscripts, t.keepsSecrets)
	}
	fmt.Fprintf(sum, "%d %q %q ", stampVersion, secretParts, secretEnds)
	places := []string{r.Layout.Root, r.Layout.Home, r.Account.Key, r.Account.Meta.Confine, isolation, r.Root.SharedHome.Path}
	fmt.Fprintf(sum, "%q %q ", places, r.Root.Former)
	fmt.Fprint(sum, r.Root.SharedHome.Device, r.Root.SharedHome.Inode) // what Root.Check would find
	return sum.Sum64()
}
