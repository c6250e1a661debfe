//go:build unix

package stamp

import (
	"errors"
	"slices"
	"time"

	"swop/config"
	"swop/manager/account"
)

// Prepare returns the account with this key, and the lock of a session, which stays open across exec, if the account can be used at
// once: its login is done, its links need no repair, and no other account waits for its reconcile.
func Prepare(s account.Layout, key string, root *account.Root, settings *config.Settings, now time.Time) (a account.Account, l account.Lock, standing account.Readiness) {
	l, found, err := s.LockForSession(key)
	if err != nil {
		return a, l, found
	}
	if !s.FastAccount(key, &a) || !othersReady(s, key, root, settings) || !unchanged(s, &a, root, settings) || !s.FastTouch(&a, now) {
		l.Release()
		return a, l, found
	}
	return a, l, account.Ready
}

// othersReady reports whether the account is marked as one that runs, and all others so marked run now and need no repair.
func othersReady(s account.Layout, key string, root *account.Root, settings *config.Settings) bool {
	marks, err := s.Pending()
	if err != nil || !slices.Contains(marks, key) {
		return false
	}
	for _, other := range marks {
		if other != key && !runsUnchanged(s, other, root, settings) {
			return false
		}
	}
	return true
}

func runsUnchanged(s account.Layout, key string, root *account.Root, settings *config.Settings) bool {
	l, err := s.LockExclusive(key)
	l.Release()
	if !errors.Is(err, account.ErrInUse) {
		return false
	}
	var a account.Account
	return s.FastAccount(key, &a) && unchanged(s, &a, root, settings)
}

// unchanged reports whether nothing changed since the last look at the account, and that look found nothing to repair.
func unchanged(s account.Layout, a *account.Account, root *account.Root, settings *config.Settings) bool {
	r := Subject{Layout: s, Root: *root, Account: *a, Stamp: OpenStamp(*a)}
	defer r.Stamp.Close()
	isolation, private := settings.For(a.Key)
	return r.Unchanged(isolation, private)
}
