// Package homes, swop's own, has the verbs of the files that the accounts share: links and earlier versions.
package homes

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home"
	"swop/internal/say"
	"swop/manager/verb"
)

// SyncAll repairs the links of the accounts. Accounts that are removed meanwhile are no error.
func SyncAll(s verb.Setup, accounts []account.Account) error {
	var errs []error
	for _, acct := range accounts {
		if err := disk.Ignore(syncOne(s, acct), account.ErrNoAccount); err != nil {
			errs = append(errs, fmt.Errorf("account %q: %w", acct.Meta.Label, err))
		}
	}
	return errors.Join(errs...)
}

// syncOne repairs the links of the account: all of them at rest, or while it is in use those that no running program would miss.
func syncOne(s verb.Setup, acct account.Account) error {
	idle := home.AtRest
	l, err := s.Store.LockExclusive(acct.Key)
	if errors.Is(err, account.ErrInUse) {
		idle = home.InUse
		l, err = s.Store.LockShared(acct.Key) // waits while a command removes or renames it
	}
	if err != nil {
		return err
	}
	defer l.Release()
	if acct, err = s.Store.Account(acct.Key); err != nil {
		return err
	}
	return s.Reconcile(acct, home.Options{Idle: idle})
}

// MoveSharedHome lets all accounts share another directory. It refuses while one of them is in use.
func MoveSharedHome(s verb.Setup, dir string) (err error) {
	if s.Root.SharedHome.Path == "" {
		return say.WithHint(errors.New("there are no accounts yet: the first one makes your CODEX_HOME the shared home"), "codex swop add work")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	return whileIdle(s, func(accounts []account.Account) error { return shareAt(s, accounts, dir, "") })
}

// MoveHome lets all accounts belong to this HOME, which had the path was before, or is a copy of that directory. What lies below was moves
// with it: the shared home, the configuration, bound directories.
func MoveHome(s verb.Setup, was string) error {
	moved := func(path string) string {
		if rest, below := strings.CutPrefix(path, was+string(filepath.Separator)); below {
			return filepath.Join(s.Home, rest)
		}
		return path
	}
	s.Root.Config = moved(s.Root.Config)
	err := whileIdle(s, func(accounts []account.Account) error {
		for i := range accounts {
			accounts[i].Meta.RealHome = s.Home
		}
		return shareAt(s, accounts, moved(s.Root.SharedHome.Path), was)
	})
	if err != nil {
		return err
	}
	return s.Store.ChangeSelector(func(sel *config.Selector) (err error) {
		bound := sel.Directory
		sel.Directory = nil
		for _, b := range bound {
			b.Path = moved(b.Path)
			err = errors.Join(err, s.PutBinding(sel, b))
		}
		return err
	})
}

// whileIdle calls f with all accounts, locked. It refuses while one of them is in use.
func whileIdle(s verb.Setup, f func(accounts []account.Account) error) error {
	accounts, err := s.Store.Accounts()
	if err != nil {
		return err
	}
	for _, acct := range accounts {
		l, err := s.LockIdle(acct)
		if err != nil {
			return err
		}
		defer l.Release()
	}
	return f(accounts)
}

// shareAt lets all accounts share dir. Links that lead into the home at former lead into theirs after that.
func shareAt(s verb.Setup, accounts []account.Account, dir, former string) (err error) {
	if s.Root, err = s.Store.MoveSharedHome(s.Root, dir); err != nil {
		return err
	}
	s.Say("all accounts now share %s", dir)
	for _, acct := range accounts {
		err := s.Reconcile(acct, home.Options{Idle: home.AtRest, Former: former})
		if err == nil {
			err = s.Store.WriteMeta(&acct)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
