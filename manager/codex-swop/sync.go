//go:build unix

package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/disk"
	"swop/home/mirror"
	"swop/say"
)

// syncing is a call of sync.
type syncing struct {
	share, sharedHome string
}

func syncCommand(a *app) *cobra.Command {
	var c syncing
	cmd := &cobra.Command{
		Use:   "sync [LABEL]",
		Short: "Repair the links of one account, or of all",
		Long: "Repair the links of one account, or of all. Each start of codex does the same for its account.\n\n" +
			"Of two conflicting versions of a file the later one is shared and the other is kept: codex swop history lists those that were kept.\n" +
			"The exit status is 1 if an entry cannot be shared: it is listed with the reason and what to do.",
		ValidArgsFunction: completeWords(a.completeLabel),
		Example: example(
			"codex swop sync",
			"codex swop sync work --share NAME       share it again",
			"codex swop sync --shared-home DIR       after moving ~/.codex there",
		),
		Args: takes(0, "LABEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exclusive(cmd, "share", "shared-home"); err != nil {
				return err
			}
			return a.sync(c, args)
		},
	}
	cmd.Flags().StringVar(&c.share, "share", "", "share the entry `NAME` again that an earlier rule kept private")
	cmd.Flags().StringVar(&c.sharedHome, "shared-home", "", "let all accounts share `DIR`, to which you have moved ~/.codex")
	return cmd
}

func (a *app) sync(c syncing, args []string) error {
	switch {
	case c.sharedHome != "" && len(args) > 0:
		return usage("--shared-home is for all accounts, not for %q alone", args[0])
	case c.sharedHome != "":
		return a.moveSharedHome(c.sharedHome)
	}
	s, err := a.look()
	if err != nil {
		return err
	}
	s.lists = true
	a.catchUp(s)
	accounts, err := s.accounts(args)
	if err != nil {
		return err
	}
	if c.share != "" {
		if err := a.share(s, accounts, c.share); err != nil {
			return err
		}
	}
	var harmless []error
	if len(args) == 0 {
		harmless = []error{account.ErrNoAccount} // one of all may have been removed or renamed meanwhile
	}
	if err := a.syncAll(s, accounts, harmless...); err != nil {
		return err
	}
	return a.sayWaiting(s, accounts)
}

// syncAll reconciles the accounts. An error that wraps a harmless one does not count.
func (a *app) syncAll(s setup, accounts []account.Account, harmless ...error) error {
	var errs []error
	for _, acct := range accounts {
		if err := disk.Ignore(a.syncOne(s, acct), harmless...); err != nil {
			errs = append(errs, fmt.Errorf("account %q: %w", acct.Meta.Label, err))
		}
	}
	return errors.Join(errs...)
}

// accounts returns the account that args name, or all.
func (s setup) accounts(args []string) ([]account.Account, error) {
	if len(args) == 0 {
		return s.store.Accounts()
	}
	acct, err := s.store.Find(args[0])
	return []account.Account{acct}, err
}

// syncOne reconciles the account, all of it if nothing runs in it.
func (a *app) syncOne(s setup, acct account.Account) error {
	l, err := s.store.LockExclusive(acct.Key)
	idle := err == nil && !l.Unsupported
	if errors.Is(err, account.ErrInUse) {
		l, err = s.store.LockShared(acct.Key, false) // waits for who removes or renames it
	}
	if err != nil {
		return err
	}
	defer l.Release()
	if acct, err = s.store.Account(acct.Key); err != nil {
		return err
	}
	return a.reconcile(s, acct, a.thorough(s, idle))
}

// sayWaiting says which entries of the accounts wait. The sync failed if one waits for a person.
func (a *app) sayWaiting(s setup, accounts []account.Account) (err error) {
	for _, acct := range accounts {
		defects, _ := mirror.Examine(s.store, acct, s.Root, s.settings) // its reconcile reported the error
		for _, d := range mirror.Waiting(defects) {
			a.say("account %q: %s", acct.Meta.Label, d.Text)
			if d.Do != "" {
				a.say("hint: %s", d.Do)
				err = exited(statusFailed)
			}
		}
	}
	return err
}

func (a *app) share(s setup, accounts []account.Account, name string) error {
	found := false
	for _, acct := range accounts {
		shared, err := mirror.Share(s.store, acct, name, s.settings)
		if err != nil {
			return err
		}
		if shared {
			a.say("%q of %q is shared again", name, acct.Meta.Label)
		}
		found = found || shared
	}
	if !found {
		return fmt.Errorf("no account keeps %q to itself against the rules", name)
	}
	return nil
}

// moveSharedHome lets all accounts share another directory, while none of them is in use.
func (a *app) moveSharedHome(dir string) error {
	s, err := a.look()
	if err != nil {
		return err
	}
	if s.Root.SharedHome.Path == "" {
		return say.WithHint(errors.New("there is no account yet: the CODEX_HOME at the time of the first one becomes the shared home"), "codex swop add work")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	accounts, err := s.store.Accounts()
	if err != nil {
		return err
	}
	for _, acct := range accounts {
		l, err := a.lockIdle(s, acct, noForce)
		if err != nil {
			return err
		}
		defer l.Release()
	}
	if s.Root, err = s.store.MoveSharedHome(s.Root, dir); err != nil {
		return err
	}
	a.say("all accounts now share %s", dir)
	for _, acct := range accounts {
		if err := a.rescue(s, acct); err != nil {
			return err
		}
	}
	return nil
}
