package accounts

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/home/takeover"
	"swop/internal/say"
	"swop/manager/verb"
)

// takeOver makes an account of another codex home. No step has to be undone: after a kill the same call continues.
func takeOver(s verb.Setup, n addition) error {
	codexHome, err := filepath.Abs(n.from)
	if err != nil {
		return err
	}
	if err := takeover.Check(s.Store, codexHome, s.SharedHome()); err != nil {
		return err
	}
	if err := checkHomeUnused(s, codexHome); err != nil {
		return err
	}
	if _, err := readMovable(filepath.Join(codexHome, "auth.json")); disk.Ignore(err, fs.ErrNotExist) != nil {
		return err
	}
	acct, err := takenOver(s, n, codexHome)
	if err != nil {
		return err
	}
	if s.Root, err = store.ReadRoot(s.Places.Root); err != nil {
		return err
	}
	l, err := s.LockIdle(acct)
	if err != nil {
		return err
	}
	defer l.Release()
	_, private := s.Settings.For(acct.Key)
	left, err := takeover.Move(acct, codexHome, s.SharedHome(), private.CodexHome)
	if err != nil {
		return err
	}
	if err := s.Rescue(acct); err != nil {
		return err
	}
	s.Say("took %s over as the account %q", codexHome, acct.Meta.Label)
	if len(left) > 0 {
		s.Say("left there: %s", strings.Join(left, ", "))
	}
	return nil
}

// takenOver creates the account, or returns the one that an earlier call with the same codex home created.
func takenOver(s verb.Setup, n addition, codexHome string) (account.Account, error) {
	wanted := newAccount(s, n)
	wanted.Bootstrap = codexHome
	acct, err := s.Store.Create(wanted)
	switch {
	case !errors.Is(err, account.ErrExists) || acct.Meta.Bootstrap != codexHome:
		return acct, err
	case acct.Meta.State != n.state: // the rest would be moved to the wrong place
		return acct, fmt.Errorf("%w, with --state %s", err, acct.Meta.State)
	}
	return acct, nil
}

// checkHomeUnused stops the server of a codex home that loses its login, or all, to an account, and refuses if another program runs in it.
func checkHomeUnused(s verb.Setup, codexHome string) error {
	if err := verb.RefuseUseOf(say.Name(codexHome), codexHome, filepath.Join(codexHome, "auth.json.lock")); err != nil {
		return err
	}
	return s.StopServerAt(codexHome, s.Env.With("CODEX_HOME", codexHome), verb.RefuseBusy)
}
