//go:build unix

package projection

import (
	"errors"
	"io/fs"

	"swop/config"
	"swop/manager/account"
	"swop/manager/login"
	"swop/manager/store"
)

// SweepPending reconciles the accounts that ran since their last reconcile, but for the one with key except, and settles what add
// left unfinished. A mark goes once its account is at rest. It reports whether anything was mended; what is wrong with another account is
// returned, and stops nothing.
func SweepPending(s store.Store, except string, root account.Root, settings config.Settings, noProcesses ProcessCheck, say func(string)) (changed bool, err error) {
	marks, err := s.Pending()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	defects := []error{err}
	for _, key := range marks {
		if key != except {
			moved, err := sweep(s, key, root, settings, noProcesses, say)
			changed, defects = changed || moved, append(defects, err)
		}
	}
	return changed, errors.Join(defects...)
}

func sweep(s store.Store, key string, root account.Root, settings config.Settings, noProcesses ProcessCheck, say func(string)) (changed bool, err error) {
	l, err := s.LockExclusive(key)
	idle := err == nil && !l.Unsupported
	if errors.Is(err, account.ErrInUse) {
		// A session runs. But whoever has the account to himself sees to it, or is taking it away.
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
		return false, settle(s, a, root)
	case a.Meta.MovedFrom != "" && idle:
		if err := s.FinishRename(a); err != nil {
			return false, err
		}
		a.Meta.MovedFrom = ""
	}
	options := Options{Idle: func() (bool, error) { return idle, nil }, NoProcesses: noProcesses}
	changed, err = reconcile(s, a, root, settings, options, say)
	if err != nil || !idle {
		return changed, err
	}
	return changed, s.Unmark(key)
}

// settle ends an add that was cut off: complete if the account has a login, gone if it has none.
func settle(s store.Store, a account.Account, root account.Root) error {
	if login.MayHaveLogin(a, root.SharedHome.Path) {
		return s.Finish(a)
	}
	return s.Delete(a, "")
}
