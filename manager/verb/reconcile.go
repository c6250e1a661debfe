package verb

import (
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home"
	"swop/internal/session"
)

// Reconcile completes the account's sandbox.
func (s Setup) Reconcile(acct account.Account, how home.Options) error {
	_, err := s.Homes().Reconcile(acct, how)
	return err
}

// Rescue moves what the account's programs made to the shared home, before the sandbox is removed. A sandbox without its home has nothing.
func (s Setup) Rescue(acct account.Account) error {
	if _, err := s.Store.Account(acct.Key); err != nil {
		return disk.Ignore(err, disk.ErrUnsafe)
	}
	return s.Reconcile(acct, home.Options{Idle: home.AtRest, Thorough: true})
}

// Discard removes an account whose lock is held exclusively.
func (s Setup) Discard(leaving home.Leaving) error {
	return s.Homes().Discard(leaving)
}

// Homes are the sandboxes, and how to repair them.
func (s Setup) Homes() home.Homes {
	return session.Homes(s.Store, s.Root, s.Settings, session.PrepareOptions{Stderr: s.Stderr}.Say)
}
