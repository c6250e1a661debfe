package verb

import (
	"errors"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home"
	"swop/internal/session"
)

// Reconcile completes the account's sandbox.
func (s Setup) Reconcile(acct account.Account, how home.Options) error {
	_, err := home.Reconcile(s.Store, acct, s.Root, s.Settings, how, session.PrepareOptions{Stderr: s.Stderr}.Say)
	return err
}

// Rescue moves what the account's programs made to the shared home, before the sandbox is removed. A sandbox without its home has nothing.
func (s Setup) Rescue(acct account.Account) error {
	if complete, err := IsComplete(s, acct); err != nil || !complete {
		return err
	}
	return s.Reconcile(acct, s.Thorough(true))
}

// Discard removes accounts whose locks are held exclusively, and returns those that are gone, in words.
func (s Setup) Discard(accounts ...home.Leaving) (gone []string, err error) {
	say := func(line string) { s.Say("%s", line) }
	return home.Exit{Store: s.Store, Root: s.Root, Settings: s.Settings, Checks: s.Thorough(true).Checks, Say: say}.Discard(accounts...)
}

// Thorough returns how to reconcile all of an account, idle or not.
func (s Setup) Thorough(idle bool) home.Options {
	checks := session.Checks(s.Store.Layout, func(line string) { s.Say("%s", line) })
	return home.Options{Idle: func() (bool, error) { return idle, nil }, Checks: checks, Thorough: true}
}

// IsComplete reports whether the sandbox has its directories. One that cannot be read is an error: what is in it is not known.
func IsComplete(s Setup, acct account.Account) (bool, error) {
	_, err := s.Store.Account(acct.Key)
	if errors.Is(err, disk.ErrUnsafe) {
		return false, nil
	}
	return err == nil, err
}
