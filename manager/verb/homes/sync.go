// Package homes has the verbs of the files that the accounts share: links and earlier versions.
package homes

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/disk"
	"swop/internal/home"
	"swop/manager/verb"
	"swop/say"
)

// syncing is a call of sync.
type syncing struct {
	share, sharedHome string
}

func Sync(call *verb.Call) *cobra.Command {
	var c syncing
	cmd := &cobra.Command{
		Use:   "sync [LABEL]",
		Short: "Repair the links of one account, or of all",
		Long: "Repair the links of one account, or of all. Each start of codex does the same for its account.\n\n" +
			"Of two conflicting versions of a file the later one is shared and the other is kept: codex swop history lists those that were kept.\n" +
			"The exit status is 1 if an entry cannot be shared: it is listed with the reason and what to do.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels)),
		Example: verb.Example(
			"codex swop sync",
			"codex swop sync work --share NAME       share it again",
			"codex swop sync --shared-home DIR       after moving ~/.codex there",
		),
		Args: verb.Takes(0, "LABEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := verb.Exclusive(cmd, "share", "shared-home"); err != nil {
				return err
			}
			if c.sharedHome != "" && len(args) > 0 {
				return verb.Usagef("--shared-home is for all accounts, not for %q alone", args[0])
			}
			return verb.With(call.Look, func(s verb.Setup, args []string) error { return sync(s, c, args) })(cmd, args)
		},
	}
	cmd.Flags().StringVar(&c.share, "share", "", "share the entry `NAME` again that an earlier rule kept private")
	cmd.Flags().StringVar(&c.sharedHome, "shared-home", "", "let all accounts share `DIR`, to which you have moved ~/.codex")
	return cmd
}

func sync(s verb.Setup, c syncing, args []string) error {
	if c.sharedHome != "" {
		return moveSharedHome(s, c.sharedHome)
	}
	s.Lists = true
	s.CatchUp()
	accounts, err := accounts(s, args)
	if err != nil {
		return err
	}
	if c.share != "" {
		if err := share(s, accounts, c.share); err != nil {
			return err
		}
	}
	var harmless []error
	if len(args) == 0 {
		harmless = []error{account.ErrNoAccount} // one of all may have been removed or renamed meanwhile
	}
	if err := SyncAll(s, accounts, harmless...); err != nil {
		return err
	}
	return sayWaiting(s, accounts)
}

// SyncAll reconciles the accounts. An error that wraps a harmless one does not count.
func SyncAll(s verb.Setup, accounts []account.Account, harmless ...error) error {
	var errs []error
	for _, acct := range accounts {
		if err := disk.Ignore(SyncOne(s, acct), harmless...); err != nil {
			errs = append(errs, fmt.Errorf("account %q: %w", acct.Meta.Label, err))
		}
	}
	return errors.Join(errs...)
}

// accounts returns the account that args name, or all.
func accounts(s verb.Setup, args []string) ([]account.Account, error) {
	if len(args) == 0 {
		return s.Store.Accounts()
	}
	acct, err := s.Store.Find(args[0])
	return []account.Account{acct}, err
}

// SyncOne reconciles the account, all of it if nothing runs in it.
func SyncOne(s verb.Setup, acct account.Account) error {
	l, err := s.Store.LockExclusive(acct.Key)
	idle := err == nil && !l.Unsupported
	if errors.Is(err, account.ErrInUse) {
		l, err = s.Store.LockShared(acct.Key, false) // waits for a command that removes or renames it
	}
	if err != nil {
		return err
	}
	defer l.Release()
	if acct, err = s.Store.Account(acct.Key); err != nil {
		return err
	}
	return s.Reconcile(acct, s.Thorough(idle))
}

// sayWaiting says which entries of the accounts wait. The sync failed if one waits for a person.
func sayWaiting(s verb.Setup, accounts []account.Account) (err error) {
	for _, acct := range accounts {
		defects, _ := home.Examine(s.Store, acct, s.Root, s.Settings) // its reconcile reported the error
		for _, d := range home.Waiting(defects) {
			s.Say("account %q: %s", acct.Meta.Label, d.Text)
			if d.Do != "" {
				s.Say("hint: %s", d.Do)
				err = verb.Exited(verb.StatusFailed)
			}
		}
	}
	return err
}

func share(s verb.Setup, accounts []account.Account, name string) error {
	found := false
	for _, acct := range accounts {
		shared, err := home.Share(s.Store.Layout, acct, name, s.Settings)
		if err != nil {
			return err
		}
		if shared {
			s.Say("%q of %q is shared again", name, acct.Meta.Label)
		}
		found = found || shared
	}
	if !found {
		return fmt.Errorf("no account keeps %q to itself against the rules", name)
	}
	return nil
}

// moveSharedHome lets all accounts share another directory, while none of them is in use.
func moveSharedHome(s verb.Setup, dir string) (err error) {
	if s.Root.SharedHome.Path == "" {
		return say.WithHint(errors.New("no accounts yet: the first one makes the CODEX_HOME of that time the shared home"), "codex swop add work")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	accounts, err := s.Store.Accounts()
	if err != nil {
		return err
	}
	for _, acct := range accounts {
		l, err := s.LockIdle(acct, verb.NoForce)
		if err != nil {
			return err
		}
		defer l.Release()
	}
	if s.Root, err = s.Store.MoveSharedHome(s.Root, dir); err != nil {
		return err
	}
	s.Say("all accounts now share %s", dir)
	for _, acct := range accounts {
		if err := s.Rescue(acct); err != nil {
			return err
		}
	}
	return nil
}
