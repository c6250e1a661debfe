//go:build unix

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"swop/manager/account"
	"swop/manager/process"
	"swop/manager/projection"
	"swop/manager/store"
	"swop/say"
)

// takeOver makes an account of a codex home that another program set up. It has no step that must be undone: cut off, the same call
// goes on.
func (a *app) takeOver(s scene, n addition) error {
	home, err := filepath.Abs(n.from)
	if err != nil {
		return err
	}
	if err := projection.CheckTakeOver(s.store, home, s.SharedHome()); err != nil {
		return err
	}
	if err := a.leaveHome(s, home); err != nil {
		return err
	}
	acct, err := a.takenOver(s, n, home)
	if err != nil {
		return err
	}
	if s.Root, err = store.ReadRoot(s.Places.Root); err != nil {
		return err
	}
	l, err := a.idle(s, acct, noForce)
	if err != nil {
		return err
	}
	defer l.Release()
	left, err := projection.TakeOver(s.store, acct, home)
	if err != nil {
		return err
	}
	if err := a.lastLook(s, acct); err != nil {
		return err
	}
	a.say("took %s over as the account %q: %s", home, acct.Meta.Label, loggedOut(s, filepath.Join(home, "auth.json")))
	if len(left) > 0 {
		a.say("left there: %s", strings.Join(left, ", "))
	}
	return nil
}

// takenOver makes the account, or returns the one that an earlier call with the same codex home made.
func (a *app) takenOver(s scene, n addition, home string) (account.Account, error) {
	fresh := a.fresh(s, n)
	fresh.Unfinished, fresh.Bootstrap = false, home
	acct, err := s.store.Create(fresh)
	switch {
	case !errors.Is(err, account.ErrExists) || acct.Meta.Bootstrap != home:
		return acct, err
	case acct.Meta.State != n.state: // what is still to come would not go where it is wanted
		return acct, fmt.Errorf("%w, with --state %s", err, acct.Meta.State)
	}
	return acct, nil
}

// leaveHome sees that nothing runs in the codex home that is taken over.
func (a *app) leaveHome(s scene, home string) error {
	use, err := process.InUse(home, filepath.Join(home, "auth.json.lock"))
	if err != nil {
		return err
	}
	if len(use.Processes) > 0 {
		err := fmt.Errorf("%w: %v runs in %s", account.ErrInUse, use.Processes[0], home)
		return say.WithHint(err, "end it first")
	}
	return a.stopServerAt(s, home, s.Env.With("CODEX_HOME", home), noForce)
}
