package accounts

import (
	"fmt"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/home/takeover"
	"swop/internal/say"
	"swop/manager/verb"
)

// checkMoveOut refuses to move an account's login to a file where that is not one rename.
func checkMoveOut(s verb.Setup, acct account.Account, to string) error {
	dir := disk.Resolve(filepath.Dir(to))
	device, err := disk.Device(dir)
	switch {
	case !login.HoldsLogin(acct) || login.HoldsStandIn(acct):
		return fmt.Errorf("account %q has no login in a file", acct.Meta.Label)
	case disk.At(to).Exists():
		return disk.Unsafe("%s: already exists", say.Name(to))
	case !disk.IsDir(dir):
		return disk.Unsafe("%s: is not a directory", say.Name(dir))
	case config.Within(dir, disk.Resolve(s.Places.Root)):
		return disk.Unsafe("%s: is inside swop's root", say.Name(to))
	case err != nil:
		return err
	}
	if err := takeover.CheckDevice(s.Store, to, device); err != nil {
		return say.WithHint(err, "a login is never copied: log in again there")
	}
	return nil
}

// moveOut moves the login of an account, which is locked, to a file that does not exist.
func moveOut(s verb.Setup, acct account.Account, to string) error {
	if file := acct.AuthFile(); !disk.At(file).IsRegular() { // a confined session may have put something else there
		return disk.Unsafe("%s: is not a regular file", say.Name(file))
	}
	home := filepath.Dir(to)
	if err := s.StopServerAt(home, s.Env.With("CODEX_HOME", home), verb.RefuseBusy); err != nil {
		return err
	}
	if err := login.MoveOut(acct, to); err != nil {
		return err
	}
	s.Say("moved the login of %q to %s", acct.Meta.Label, say.Name(to))
	return nil
}

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
