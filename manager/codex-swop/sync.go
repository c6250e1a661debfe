//go:build unix

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/projection"
	"swop/say"
)

// syncing is a call of sync.
type syncing struct {
	displaced, prune, yes bool
	share, sharedHome     string

	before []projection.Displaced // what was kept before this call
}

func (a *app) syncCommand() *cobra.Command {
	var c syncing
	cmd := &cobra.Command{
		Use:   "sync [LABEL]",
		Short: "Repair the links of one account, or of all",
		Long: "Repair the links of one account, or of all. Each start of codex does the same for its account.\n\n" +
			"Of two conflicting versions of a file the newer one is shared and the other is kept; --displaced lists those that were kept, and " +
			"with --prune removes them, except those of this very call.",
		Example: example(
			"codex swop sync",
			"codex swop sync --displaced             list the versions that were kept",
			"codex swop sync --displaced --prune     and remove them",
			"codex swop sync work --share NAME       share it again",
			"codex swop sync --shared-home DIR       after moving ~/.codex there",
		),
		Args: takes(0, "LABEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exclusive(cmd, "displaced", "share", "shared-home"); err != nil {
				return err
			}
			return a.sync(c, args)
		},
	}
	cmd.Flags().BoolVar(&c.displaced, "displaced", false, "list conflicting versions that were kept")
	cmd.Flags().BoolVar(&c.prune, "prune", false, "with --displaced: remove them")
	cmd.Flags().BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	cmd.Flags().StringVar(&c.share, "share", "", "share the entry `NAME` again that an earlier rule kept private")
	cmd.Flags().StringVar(&c.sharedHome, "shared-home", "", "let all accounts share `DIR`, to which you have moved ~/.codex")
	return cmd
}

func (a *app) sync(c syncing, args []string) error {
	switch {
	case c.prune && !c.displaced:
		return usage("--prune needs --displaced")
	case c.sharedHome != "" && len(args) > 0:
		return usage("--shared-home is for all accounts, not for %q alone", args[0])
	case c.sharedHome != "":
		return a.moveSharedHome(c.sharedHome)
	}
	s, err := a.look()
	if err != nil {
		return err
	}
	if c.prune {
		if c.before, err = projection.ListDisplaced(s.store); err != nil {
			return err
		}
	}
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
	err = a.syncAll(s, accounts, harmless...)
	if c.displaced && err == nil {
		return a.displaced(s, args, c)
	}
	return err
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
	return a.reconcile(s, acct, thorough(s, idle))
}

func (a *app) share(s setup, accounts []account.Account, name string) error {
	found := false
	for _, acct := range accounts {
		shared, err := projection.Share(s.store, acct, name, s.settings)
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

// displaced lists the versions that were kept, of the account that args name or of all, and removes them if asked to. Those of this very call
// are not removed: nobody has seen them yet.
func (a *app) displaced(s setup, args []string, c syncing) error {
	list, err := projection.ListDisplaced(s.store)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d projection.Displaced) bool { return len(args) == 1 && !hasKey(args[0], d.Key) })
	all := len(list)
	if c.prune {
		list = slices.DeleteFunc(list, func(d projection.Displaced) bool {
			return !slices.ContainsFunc(c.before, func(old projection.Displaced) bool { return old.Path == d.Path })
		})
	}
	switch fresh := all - len(list); {
	case fresh > 0:
		a.say("kept %s just now; list them with: codex swop sync --displaced", counted(fresh, "conflicting version", "conflicting versions"))
	case len(list) == 0:
		a.say("no conflicting versions were kept")
	}
	if len(list) == 0 {
		return nil
	}
	if err := line(a.stdout, strings.Join(a.displacedLines(list), "\n")); err != nil || !c.prune {
		return err
	}
	return a.prune(s, list, c.yes)
}

// displacedLines returns a table that is never cut, so that its paths can be pasted.
func (a *app) displacedLines(list []projection.Displaced) []string {
	now := a.now()
	return layTable([]column{
		newColumn("ACCOUNT", list, func(d projection.Displaced) string { return d.Key }),
		newColumn("ENTRY", list, func(d projection.Displaced) string { return say.Name(d.Name) }),
		newColumn("KEPT", list, func(d projection.Displaced) string { return ago(now, &d.Time) }),
		newColumn("BYTES", list, func(d projection.Displaced) string { return strconv.FormatInt(d.Size, 10) }),
		newColumn("PATH", list, func(d projection.Displaced) string { return say.Name(d.Path) }),
	})
}

func (a *app) prune(s setup, list []projection.Displaced, yes bool) error {
	versions := counted(len(list), "version", "versions")
	if !yes {
		if err := confirmRemoval(fmt.Sprintf("remove %s for good?", versions), "codex swop sync --displaced --prune --yes"); err != nil {
			return err
		}
	}
	for _, d := range list {
		if err := projection.Prune(s.store, d); err != nil {
			return err
		}
	}
	a.say("removed %s", versions)
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
