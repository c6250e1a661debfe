//go:build unix

package rules

import (
	"errors"
	"slices"

	"swop/internal/account"
)

// Prepare reads the account with this key into a, and returns the lock of a session, which stays open across exec, if the account can be
// used at once: its login is done, its links need no repair, and no other account waits for its reconcile.
func (f *FastPath) Prepare(key string, a *account.Account, now account.Time) (account.Lock, bool) {
	l, err := f.Layout.LockForSession(key)
	if err != nil {
		return l, false
	}
	if !f.Layout.FastAccount(key, a) || !f.othersReady(key) || !f.unchanged(a) {
		l.Release()
		return l, false
	}
	f.Layout.Touch(key, now)
	return l, true
}

// othersReady reports whether the account is marked as one that runs, and all others so marked run now and need no repair.
func (f *FastPath) othersReady(key string) bool {
	marks, err := f.Layout.Pending()
	if err != nil || !slices.Contains(marks, key) {
		return false
	}
	for _, other := range marks {
		if other != key && !f.runsUnchanged(other) {
			return false
		}
	}
	return true
}

func (f *FastPath) runsUnchanged(key string) bool {
	l, err := f.Layout.LockExclusive(key)
	l.Release()
	if !errors.Is(err, account.ErrInUse) {
		return false
	}
	var a account.Account
	return f.Layout.FastAccount(key, &a) && f.unchanged(&a)
}

// unchanged reports whether nothing changed since the last look at the account, and that look found nothing to repair.
func (f *FastPath) unchanged(a *account.Account) bool {
	s := Subject{Layout: f.Layout, Root: *f.Root, Account: *a}
	return s.Unchanged(f.Settings.For(a.Key))
}
