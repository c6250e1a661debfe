//go:build unix

package doctor

import (
	"maps"
	"slices"

	"swop/config"
	"swop/manager/account"
	"swop/say"
)

// checkPools looks for accounts that a pool names and that do not exist, and for one with a pool's name.
func checkPools(x *exam) (found []Finding) {
	exists := func(key string) bool {
		return slices.ContainsFunc(x.accounts, func(a account.Account) bool { return a.Key == key })
	}
	if exists(config.AutoPool) {
		found = append(found, warn("codex swop rename auto NEW", "%q names the pool of all accounts, and an account has that name", config.AutoPool)...)
	}
	for _, name := range slices.Sorted(maps.Keys(x.Settings.Pools)) {
		for _, key := range x.Settings.Pools[name].Accounts {
			if !exists(key) {
				found = append(found, warn("codex swop add "+say.ShellQuote(key), "the pool %q names %q, which does not exist", name, key)...)
			}
		}
	}
	return found
}
