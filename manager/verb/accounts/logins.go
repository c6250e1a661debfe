package accounts

import (
	"path/filepath"
	"slices"

	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/verb"
)

// outsideLogin is where codex without an account has its login.
func outsideLogin(s verb.Setup) string { return filepath.Join(s.SharedHome(), "auth.json") }

// SayLogins says which logins lie in swop, and how one is given back to codex without it.
func SayLogins(s verb.Setup) error {
	all, err := s.Store.Accounts()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(a account.Account) bool { return !login.HoldsLogin(a) || login.HoldsStandIn(a) })
	for _, acct := range all {
		s.Say("account %q has a login, which stays in swop: %s", acct.Meta.Label, login.Of(acct, s.SharedHome()).Text())
	}
	if to := outsideLogin(s); len(all) > 0 && !disk.At(to).Exists() {
		s.Say("hint: to give one back to codex: mv -n %s %s", say.ShellQuote(all[0].AuthFile()), say.ShellQuote(to))
	}
	return nil
}
