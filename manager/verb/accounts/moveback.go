package accounts

import (
	"fmt"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/home"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
)

// checkBack refuses to move an account's login to a file where that is not one rename.
func checkBack(s verb.Setup, acct account.Account, to string) error {
	dir := disk.Resolve(filepath.Dir(to))
	device, err := disk.Device(dir)
	switch {
	case !login.HoldsLogin(acct) || login.HoldsStandIn(acct):
		return fmt.Errorf("account %q has no login in a file", acct.Meta.Label)
	case verb.IsThere(to):
		return disk.Unsafe("%s: already exists", say.Name(to))
	case !disk.IsDir(dir):
		return disk.Unsafe("%s: is not a directory", say.Name(dir))
	case config.Within(dir, disk.Resolve(s.Places.Root)):
		return disk.Unsafe("%s: is inside swop's root", say.Name(to))
	case err != nil:
		return err
	}
	if err := home.CheckDevice(s.Store, to, device); err != nil {
		return say.WithHint(err, "a login is never copied: log in again there")
	}
	return nil
}

// moveBack moves the login of an account, which is locked, to a file that does not exist.
func moveBack(s verb.Setup, acct account.Account, to string) error {
	home := filepath.Dir(to)
	if err := s.StopServerAt(home, s.Env.With("CODEX_HOME", home), verb.NoForce); err != nil {
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

// withLogins returns the accounts whose login lies in a file of theirs.
func withLogins(accounts []account.Account) []account.Account {
	return slices.DeleteFunc(slices.Clone(accounts), func(a account.Account) bool { return !login.HoldsLogin(a) || login.HoldsStandIn(a) })
}

// GiveBack says which logins lie in swop, and offers to move one to where codex finds it without swop. unasked, it says how.
func GiveBack(s verb.Setup, unasked bool) error {
	all, err := s.Store.Accounts()
	if err != nil {
		return err
	}
	all = withLogins(all)
	for _, acct := range all {
		s.Say("account %q has a login, which stays in swop: %s", acct.Meta.Label, login.Of(acct, s.SharedHome()).Text())
	}
	if to := outsideLogin(s); unasked && len(all) > 0 && !verb.IsThere(to) {
		s.Say("hint: to give one back to codex: mv -n %s %s", say.ShellQuote(all[0].AuthFile()), say.ShellQuote(to))
	}
	if unasked {
		return nil
	}
	acct, err := chooseBack(s, all)
	if err != nil || acct == nil {
		return err
	}
	l, err := s.LockIdle(*acct, verb.NoForce)
	if err != nil {
		return err
	}
	defer l.Release()
	return moveBack(s, *acct, outsideLogin(s))
}

// chooseBack returns the account whose login is to be codex's own again, as the person at the terminal says; nil for none. Enter is the
// active one.
func chooseBack(s verb.Setup, accounts []account.Account) (*account.Account, error) {
	to := outsideLogin(s)
	accounts = slices.DeleteFunc(accounts, func(a account.Account) bool { return checkBack(s, a, to) != nil })
	if len(accounts) == 0 || !terminal.CanAsk() {
		return nil, nil
	}
	sel, err := config.ReadSelector(s.Places)
	if err != nil {
		return nil, err
	}
	preset := max(0, slices.IndexFunc(accounts, func(a account.Account) bool { return verb.HasKey(sel.Account, a.Key) }))
	var choices []string
	for _, a := range accounts {
		choices = append(choices, fmt.Sprintf("move the login of %q to %s: %s", a.Meta.Label, say.Name(to), login.Of(a, s.SharedHome()).Text()))
	}
	n, err := terminal.Choose(append(choices, "none: codex will not be logged in"), 1, preset+1, accounts[preset].Meta.Label)
	if err != nil || n > len(accounts) {
		return nil, err
	}
	return &accounts[n-1], nil
}
