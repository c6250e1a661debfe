package accounts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"swop/account"
	"swop/account/login"
	"swop/account/process"
	"swop/account/store"
	"swop/home/takeover"
	"swop/manager/verb"
	"swop/say"
)

// takeOver makes an account of another codex home. No step must be undone: if it is killed, the same call continues.
func takeOver(s verb.Setup, n addition) error {
	home, err := filepath.Abs(n.from)
	if err != nil {
		return err
	}
	if err := takeover.Check(s.Store, home, s.SharedHome()); err != nil {
		return err
	}
	if err := checkHomeUnused(s, home); err != nil {
		return err
	}
	acct, err := takenOver(s, n, home)
	if err != nil {
		return err
	}
	if s.Root, err = store.ReadRoot(s.Places.Root); err != nil {
		return err
	}
	l, err := s.LockIdle(acct, verb.NoForce)
	if err != nil {
		return err
	}
	defer l.Release()
	auth := filepath.Join(home, "auth.json")
	_, noLogin := os.Lstat(auth)
	left, err := takeover.Take(s.Store, acct, home)
	if err != nil {
		return err
	}
	if err := s.Rescue(acct); err != nil {
		return err
	}
	then := loggedOut(s, auth)
	switch {
	case noLogin != nil && login.HoldsLogin(acct):
		then = "an earlier call moved its login"
	case noLogin != nil:
		then = "it had no auth.json; log in with: codex swop login " + say.ShellQuote(acct.Meta.Label)
	}
	s.Say("took %s over as the account %q: %s", home, acct.Meta.Label, then)
	if len(left) > 0 {
		s.Say("left there: %s", strings.Join(left, ", "))
	}
	return nil
}

// takenOver creates the account, or returns the one that an earlier call with the same codex home created.
func takenOver(s verb.Setup, n addition, home string) (account.Account, error) {
	wanted := newAccount(s, n)
	wanted.Unfinished, wanted.Bootstrap = false, home
	acct, err := s.Store.Create(wanted)
	switch {
	case !errors.Is(err, account.ErrExists) || acct.Meta.Bootstrap != home:
		return acct, err
	case acct.Meta.State != n.state: // what is still to be moved would go to the wrong place
		return acct, fmt.Errorf("%w, with --state %s", err, acct.Meta.State)
	}
	return acct, nil
}

// checkHomeUnused stops the server of the codex home that is taken over, and refuses if anything else runs in it.
func checkHomeUnused(s verb.Setup, home string) error {
	use, err := process.HomeInUse(home, filepath.Join(home, "auth.json.lock"))
	switch {
	case err != nil:
		return err
	case len(use.Processes) > 0:
		err := fmt.Errorf("%w: %v runs in %s", account.ErrInUse, use.Processes[0], home)
		return say.WithHint(err, "end it first")
	case use.Any():
		return fmt.Errorf("%w: a process that cannot be seen from here holds auth.json.lock in %s", account.ErrInUse, home)
	}
	return s.StopServerAt(home, s.Env.With("CODEX_HOME", home), verb.NoForce)
}
