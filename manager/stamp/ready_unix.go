//go:build unix

package stamp

import (
	"errors"
	"slices"
	"time"

	"swop/config"
	"swop/manager/account"
)

// Prepare returns the account with this key if nothing keeps it from being used at once: a finished one whose sandbox is whole, with no
// other account waiting for its reconcile. The lock is a session's then; it stays open across exec.
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

// othersReady reports whether the account is marked as one that runs, and all others that are do so now, and are whole.
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

// unchanged reports whether nothing moved since the last look at the account, and that found nothing to mend.
func unchanged(s account.Layout, a *account.Account, root *account.Root, settings *config.Settings) bool {
	r := Subject{Layout: s, Root: *root, Account: *a, Stamp: OpenStamp(*a)}
	defer r.Stamp.Close()
	isolation, private := settings.For(a.Key)
	return r.Unchanged(isolation, private)
}
