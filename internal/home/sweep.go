package home

import (
	"errors"
	"io/fs"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/disk"
)

// SweepPending reconciles the accounts that ran since their last reconcile, except the one with the key except, and completes or removes
// what an interrupted add left. An account's mark is removed once the account is idle. It reports whether anything was repaired. What is
// wrong with one account does not stop the others, and is returned.
func SweepPending(
	s store.Store, except string, root account.Root, settings config.Settings, checks Checks, say func(string),
) (changed bool, err error) {
	marks, err := s.Pending()
	defects := []error{disk.Ignore(err, fs.ErrNotExist)}
	for _, key := range marks {
		if key != except {
			moved, err := sweep(s, key, root, settings, checks, say)
			changed, defects = changed || moved, append(defects, err)
		}
	}
	return changed, errors.Join(defects...)
}

// sweep does what SweepPending does, for one account.
func sweep(
	s store.Store, key string, root account.Root, settings config.Settings, checks Checks, say func(string),
) (changed bool, err error) {
	l, err := s.LockExclusive(key)
	idle := err == nil
	if errors.Is(err, account.ErrInUse) {
		// A session runs. But a command that has the account exclusively reconciles or removes it.
		if l, err = s.LockSharedNow(key); errors.Is(err, account.ErrInUse) {
			return false, nil
		}
	}
	if err != nil {
		return false, err
	}
	defer l.Release()
	a, err := s.Account(key)
	switch {
	case errors.Is(err, account.ErrNoAccount) && idle:
		return false, s.Unmark(key)
	case errors.Is(err, account.ErrNoAccount):
		return false, nil // it is being made
	case err != nil:
		return false, err
	case a.Meta.Unfinished && idle:
		return true, finishAdd(Exit{s, root, settings, checks, say}, a)
	case a.Meta.MovedFrom != "" && idle:
		if err := s.FinishRename(a); err != nil {
			return false, err
		}
		a.Meta.MovedFrom = ""
	}
	options := Options{Idle: func() (bool, error) { return idle, nil }, Checks: checks, Thorough: a.Meta.Unfinished}
	changed, err = Reconcile(s, a, root, settings, options, say)
	if err != nil || !idle {
		return changed, err
	}
	return changed, errors.Join(s.WriteMeta(a), s.Unmark(key)) // it says when it was used last
}

// finishAdd ends an interrupted add: only with a login is the account complete.
func finishAdd(x Exit, a account.Account) error {
	if _, err := login.Settle(a); err != nil {
		return err
	}
	if login.MayHaveLogin(a, x.Root.SharedHome.Path) {
		return x.Store.Finish(a)
	}
	_, err := x.Discard(Leaving{Account: a})
	return err
}
