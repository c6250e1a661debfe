package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/limits/pool"
)

// Rename gives the account another label, also in the selector, and returns the renamed account. If the label's key belongs to another
// account the error wraps [account.ErrExists]. The caller holds both locks exclusively. After a kill, the account has one of the two
// labels, and the next run completes the rename. Paths through its old home go on working: see redirect.go.
func (s Store) Rename(a account.Account, label string) (account.Account, error) {
	key, err := config.Key(label)
	if err != nil {
		return a, err
	}
	if a, err = s.remnant(a.Key); err != nil { // another process may have renamed it before the lock was held
		return a, err
	}
	to := account.Account{Key: key, Dir: s.AccountDir(key), Meta: a.Meta}
	to.Meta.Label, to.Meta.Key = label, key
	if key == a.Key {
		return to, errors.Join(s.WriteMeta(&to), s.follow(key, label))
	}
	if other, err := s.remnant(key); !errors.Is(err, account.ErrNoAccount) {
		if err == nil {
			err = fmt.Errorf("account %q %w", other.Meta.Label, account.ErrExists)
		}
		return a, err
	}
	if err := s.MarkPending(key); err != nil { // if this run is killed, the next one finds it by the mark
		return a, err
	}
	to.Meta.MovedFrom = a.Meta.Label
	if err := s.WriteMeta(&account.Account{Dir: a.Dir, Meta: to.Meta}); err != nil {
		return a, err
	}
	err = s.building(func(string) error {
		if err := removeLeft(s, key); err != nil {
			return err
		}
		return os.Rename(a.Dir, to.Dir)
	})
	if err != nil {
		return a, errors.Join(err, s.WriteMeta(&a), s.Unmark(key))
	}
	return to, errors.Join(disk.SyncDir(s.AccountsDir()), s.FinishRename(to))
}

// FinishRename ends a rename whose sandbox has its new place: the selector follows, the link in the old place leads there, and then
// meta.json forgets the old label.
func (s Store) FinishRename(a account.Account) error {
	from, err := config.Key(a.Meta.MovedFrom)
	if err == nil {
		err = s.follow(from, a.Meta.Label)
	}
	if err == nil && s.leavesLink(a, from) {
		err = leadTo(s, from, a.Home())
	}
	if err != nil {
		return err
	}
	a.Meta.MovedFrom = ""
	return errors.Join(s.WriteMeta(&a), s.Unmark(from))
}

// follow puts the label into the selector's entries for the account with this key, and into the pools' last choices.
func (s Store) follow(key, label string) error {
	to, err := config.Key(label)
	if err == nil {
		err = s.forget(key, to)
	}
	if err != nil {
		return err
	}
	return s.ChangeSelector(func(sel *config.Selector) error {
		if config.HasKey(sel.Account, key) {
			sel.Account = label
		}
		for i, b := range sel.Directory {
			if config.HasKey(b.Account, key) {
				sel.Directory[i].Account = label
			}
		}
		return nil
	})
}

// forget removes the account with this key from the pools' last choices, or puts the one with the key to in its place.
func (s Store) forget(key, to string) error {
	return pool.ChangeLast(s.Layout, func(last pool.Last) pool.Last { return last.Rename(key, to) })
}

// ChangeSelector reads the selector, changes it and writes it back, one at a time. An unchanged one is not written.
func (s Store) ChangeSelector(change func(*config.Selector) error) error {
	l, err := account.Flock(s.LockFile(".selector"), sys.LOCK_EX, sys.O_CLOEXEC|sys.O_CREAT) // no account's: no key begins with a dot
	if disk.Ignore(err, fs.ErrNotExist) != nil {                                             // without a root there is no account to select
		return err
	}
	defer l.Release()
	sel, err := config.ReadSelector(s.Places)
	if err != nil {
		return err
	}
	before := config.Selector{Account: sel.Account, Directory: slices.Clone(sel.Directory)}
	if err := change(&sel); err != nil || reflect.DeepEqual(sel, before) {
		return err
	}
	return config.WriteSelector(s.Places, sel)
}
