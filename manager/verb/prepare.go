package verb

import (
	"errors"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home"
	"swop/internal/say"
	"swop/internal/session"
	"swop/shim"
)

// CatchUp completes steps of killed runs, repairs the links of the accounts that ran since, and prunes kept versions. It prints errors.
func (s Setup) CatchUp() {
	if s.Root.SharedHome.Path == "" {
		return
	}
	err := s.Homes().SweepPending("")
	pruned := home.Prune(s.Store.Layout, s.Root, s.Now())
	if err := errors.Join(unlessFull(s.Store.EmptyTrash()), unlessFull(pruned), unlessFull(err)); err != nil {
		say.Error(s.Stderr, err)
	}
}

// unlessFull returns nil for a file system that is full or read-only: the step is done later, and a verb that writes says why it cannot.
func unlessFull(err error) error { return disk.Ignore(err, sys.EROFS, sys.ENOSPC) }

// Homes are the sandboxes, and how to repair them.
func (s Setup) Homes() home.Homes {
	return s.Reader().Homes(s.Store, s.Root, s.Settings)
}

// Reconcile repairs the links of the account, whose lock is held.
func (s Setup) Reconcile(acct account.Account, how home.Options) error {
	return s.Homes().Reconcile(acct, how)
}

// Rescue shares all entries that the account's programs made, before its sandbox moves or goes. The account's lock is held exclusively. A
// sandbox without its home has no entries.
func (s Setup) Rescue(acct account.Account) error {
	if _, err := s.Store.Account(acct.Key); err != nil {
		return disk.Ignore(err, disk.ErrUnsafe)
	}
	return s.Reconcile(acct, home.Options{Idle: home.AtRest})
}

// Reader returns what prepares an account as a call of codex does.
func (s Setup) Reader() *session.Reader { return &session.Reader{Stderr: s.Stderr, Now: s.Now} }

// Ready completes the account's sandbox and takes its lock, as a session does.
func (s Setup) Ready(label string) (ready shim.Prepared, err error) {
	if _, err := s.Store.Find(label); err != nil {
		return ready, err
	}
	s.Found = true
	err = s.Reader().Prepare(&s.Invocation, label, &s.Settings, &ready)
	return ready, err
}

// PolicyOf returns the policy that confines a session of the account with this label, "" for none. One that is missing is not confined.
func (s Setup) PolicyOf(label string) (string, error) {
	key, err := config.Key(label)
	if err != nil {
		return "", err
	}
	acct, err := s.Store.Account(key)
	if err != nil { // opening the account reports it
		acct.Meta.Label, acct.Meta.Key = label, key
	}
	return s.Policy(&s.Settings, &acct.Meta)
}

// FindLocked finds the account and takes its shared lock: nobody removes or renames the account until the lock is released.
func (s Setup) FindLocked(label string) (account.Account, account.Lock, error) {
	acct, err := s.Store.Find(label)
	if err != nil {
		return acct, account.Lock{}, err
	}
	l, err := s.Store.LockShared(acct.Key) // waits while a command removes or renames it
	if err != nil {
		return acct, l, err
	}
	if acct, err = s.Store.Find(label); err != nil {
		l.Release()
	}
	return acct, l, err
}

// Codex returns the real codex.
func (s Setup) Codex() (shim.Program, error) { return s.Find(&s.Settings, s.Shim(), shim.FileID{}) }
