package home

import (
	"errors"
	"io/fs"

	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
)

// SweepPending reconciles the accounts that ran since their last reconcile, except the one with the key except, and completes or removes
// what an interrupted add left. An account's mark is removed once the account is idle. What is wrong with one account does not stop the
// others, and is returned.
func (h Homes) SweepPending(except string) error {
	marks, err := h.Store.Pending()
	err = disk.Ignore(err, fs.ErrNotExist)
	for _, key := range marks {
		if key != except {
			err = errors.Join(err, h.sweep(key))
		}
	}
	return err
}

// sweep does what SweepPending does, for one account.
func (h Homes) sweep(key string) error {
	l, err := h.Store.LockExclusive(key)
	rests := err == nil
	if errors.Is(err, account.ErrInUse) {
		// A session runs. But a command that has the account exclusively reconciles or removes it.
		if l, err = h.Store.LockSharedNow(key); errors.Is(err, account.ErrInUse) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	defer l.Release()
	a, err := h.Store.Account(key)
	switch {
	case errors.Is(err, account.ErrNoAccount) && rests:
		return h.Store.Unmark(key)
	case err != nil:
		return disk.Ignore(err, account.ErrNoAccount) // it is being made
	case a.Meta.Unfinished && rests:
		hasLogin, err := h.EndAdd(a)
		switch {
		case err != nil:
			return err
		case hasLogin: // only with a login is the account complete
			return h.Store.Finish(a)
		}
		return h.Discard(a, nil)
	case a.Meta.MovedFrom != "" && rests:
		if err := h.Store.FinishRename(a); err != nil {
			return err
		}
		a.Meta.MovedFrom = ""
	}
	if rests {
		err = errors.Join(store.FinishConfinement(h.Store, a, h.Say), h.Store.WriteMeta(&a)) // which says when it was used last
	}
	err = errors.Join(err, h.Reconcile(a, Options{Idle: func() (bool, error) { return rests, nil }}))
	if err != nil || !rests {
		return err
	}
	return h.Store.Unmark(key)
}
