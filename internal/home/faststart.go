package home

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
)

// comparison is a stamp of now beside that of the last look, which left nothing to repair.
type comparison struct {
	now     stamp
	same    [6]bool                   // the places with the same names and kinds as then
	entries [6]map[string]fs.FileMode // of the directories that were read
}

// Ready is what `codex` itself does for a start. It sets a to the account with this key, and h.Root, as far as a start needs them, and
// returns the lock of a session, which stays open across exec, if the account can be used at once: its login is done, no other account
// waits for its reconcile, and nothing is to be judged: see [Options.LinksOnly].
func (h *Homes) Ready(key string, a *account.Account, now time.Time) (account.Lock, bool) {
	l, err := h.Store.LockSharedNow(key)
	marks, err2 := h.Store.Pending()
	waits := func(other string) bool { return other != key && !h.runsReady(other) }
	others := slices.Contains(marks, key) && !slices.ContainsFunc(marks, waits)
	if errors.Join(err, err2) != nil || hardLinks || !others || !h.isReady(key, a) { // on Windows the shim starts codex-swop as a child anyway
		l.Release()
		return l, false
	}
	h.Store.Touch(key, now)
	l.AcrossExec()
	return l, true
}

// runsReady reports whether a session of a marked account runs, and nothing is to be done in it.
func (h *Homes) runsReady(key string) bool {
	l, err := h.Store.LockExclusive(key)
	l.Release()
	if !errors.Is(err, account.ErrInUse) {
		return false
	}
	l, err = h.Store.LockSharedNow(key)
	defer l.Release()
	return err == nil && h.isReady(key, new(account.Account))
}

// isReady reports whether nothing is to be done in the account, whose lock is held, or no more than was done now.
func (h *Homes) isReady(key string, a *account.Account) bool {
	*a = account.Account{Key: key, Dir: h.Store.AccountDir(key)}
	switch {
	case h.Store.CheckDir(a.Dir) != nil, disk.MayExist(filepath.Join(a.Dir, account.ApartDir)): // a login has ended, or goes on
		return false
	case h.unchanged(a):
		return true
	}
	var err error
	if h.Root, err = store.ReadRoot(h.Store.Root); err == nil {
		*a, err = h.Store.Account(key)
	}
	m, cutOff := &a.Meta, disk.MayExist(filepath.Join(a.Dir, store.NewHome))
	if err != nil || cutOff || m.Confine != "" || m.MovedFrom != "" || m.Unfinished {
		return false
	}
	return h.Reconcile(*a, Options{Idle: InUse, LinksOnly: true}) == nil
}
