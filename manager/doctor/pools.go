//go:build unix

package doctor

import (
	"slices"

	"swop/account"
	"swop/config"
	"swop/say"
)

// checkPools looks for an account with a pool's name.
func checkPools(x *exam) []Finding {
	if !slices.ContainsFunc(x.accounts, func(a account.Account) bool { return a.Key == config.AutoPool }) {
		return nil
	}
	return warn("codex swop rename auto NEW", "%q names the pool of all accounts, and an account has that name", config.AutoPool)
}

// checkNames looks for names in config.toml that no account has: what is said there of an account does not hold for it.
func checkNames(x *exam) (found []Finding) {
	for _, stray := range x.Store.Strays(x.Settings) {
		found = append(found, warn(say.Hints(stray)[0], "%v", stray)...)
	}
	return found
}
