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
	"swop/shim/session"
)

// syncing is a call of sync.
type syncing struct {
	displaced, prune, yes bool
	share                 string
	sharedHome            string

	before []projection.Displaced // what was set aside before this call
}

func (a *app) syncCommand() *cobra.Command {
	var c syncing
	cmd := &cobra.Command{
		Use:   "sync [LABEL]",
		Short: "Make the sandboxes whole now, of all accounts if none is given",
		Long: "Make the sandboxes whole now, of all accounts if none is given. Each start of codex does the same for its account.\n\n" +
			"Where two versions of a file met, one was set aside; --displaced shows them. With --prune they are removed, but for\n" +
			"what this very call sets aside.",
		Example: example(
			"codex swop sync",
			"codex swop sync --displaced             what was set aside",
			"codex swop sync --displaced --prune     and remove it",
			"codex swop sync work --share NAME       share it again with the others",
			"codex swop sync --shared-home DIR       after you have moved ~/.codex there",
		),
		Args: wants(0, 1, "a label"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exclusive(cmd, "displaced", "share", "shared-home"); err != nil {
				return err
			}
			return a.sync(c, args)
		},
	}
	cmd.Flags().BoolVar(&c.displaced, "displaced", false, "show the versions that were set aside")
	cmd.Flags().BoolVar(&c.prune, "prune", false, "with --displaced: remove them")
	cmd.Flags().BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	cmd.Flags().StringVar(&c.share, "share", "", "share the entry called `NAME` again, which was private under an earlier rule")
	cmd.Flags().StringVar(&c.sharedHome, "shared-home", "", "let all accounts share the codex home `DIR`, which you have moved there")
	return cmd
}

func (a *app) sync(c syncing, args []string) error {
	if c.prune && !c.displaced {
		return usage("--prune goes with --displaced")
	}
	if c.sharedHome != "" && len(args) > 0 {
		return usage("--shared-home is for all accounts, not for %q alone", args[0])
	}
	if c.sharedHome != "" {
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
	accounts, err := s.named(args)
	if err != nil {
		return err
	}
	if c.share != "" {
		if err := a.share(s, accounts, c.share); err != nil {
			return err
		}
	}
	var defects []error
	for _, acct := range accounts {
		err := a.syncOne(s, acct)
		if len(args) == 0 && errors.Is(err, account.ErrNoAccount) {
			continue // removed or renamed meanwhile
		}
		if err != nil {
			defects = append(defects, fmt.Errorf("account %q: %w", acct.Meta.Label, err))
		}
	}
	if c.displaced && len(defects) == 0 {
		return a.displaced(s, args, c)
	}
	return errors.Join(defects...)
}

// named returns the account that args name, or all.
func (s scene) named(args []string) ([]account.Account, error) {
	if len(args) == 0 {
		return s.store.Accounts()
	}
	acct, err := s.store.Find(args[0])
	return []account.Account{acct}, err
}

// syncOne reconciles the account, all of it if nothing runs in it.
func (a *app) syncOne(s scene, acct account.Account) error {
	l, err := s.store.LockExclusive(acct.Key)
	resting := err == nil && !l.Unsupported
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
	quiet := projection.Options{Idle: func() (bool, error) { return resting, nil }, NoProcesses: session.NoProcesses(s.store.Layout), Thorough: true}
	return a.reconcile(s, acct, quiet)
}

func (a *app) share(s scene, accounts []account.Account, name string) error {
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

// displaced shows what was set aside, of the account that args name or of all, and removes it if asked to. What this very call has set
// aside nobody has seen yet: it stays.
func (a *app) displaced(s scene, args []string, c syncing) error {
	list, err := projection.ListDisplaced(s.store)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		list = ofKey(list, args[0])
	}
	fresh := 0
	if c.prune {
		all := len(list)
		list = slices.DeleteFunc(list, func(d projection.Displaced) bool { return !among(c.before, d) })
		fresh = all - len(list)
	}
	switch {
	case fresh > 0:
		a.say("kept %s set aside just now; shown by: codex swop sync --displaced", counted(fresh, "version", "versions"))
	case len(list) == 0:
		a.say("nothing is set aside")
	}
	if len(list) == 0 {
		return nil
	}
	if err := line(a.stdout, strings.Join(a.displacedLines(list), "\n")); err != nil || !c.prune {
		return err
	}
	return a.prune(s, list, c.yes)
}

func among(list []projection.Displaced, d projection.Displaced) bool {
	return slices.ContainsFunc(list, func(other projection.Displaced) bool { return other.Path == d.Path })
}

// displacedLines is a table that is never cut: its paths are there to be pasted.
func (a *app) displacedLines(list []projection.Displaced) []string {
	now := a.now()
	return layTable([]column{
		newColumn("ACCOUNT", list, func(d projection.Displaced) string { return d.Key }),
		newColumn("ENTRY", list, func(d projection.Displaced) string { return say.Name(d.Name) }),
		newColumn("SET ASIDE", list, func(d projection.Displaced) string { return ago(now, &d.Time) }),
		newColumn("BYTES", list, func(d projection.Displaced) string { return strconv.FormatInt(d.Size, 10) }),
		newColumn("PATH", list, func(d projection.Displaced) string { return say.Name(d.Path) }),
	})
}

func ofKey(list []projection.Displaced, label string) []projection.Displaced {
	var of []projection.Displaced
	for _, d := range list {
		if names(label, d.Key) {
			of = append(of, d)
		}
	}
	return of
}

func (a *app) prune(s scene, list []projection.Displaced, agreed bool) error {
	if !agreed {
		yes, err := confirm(fmt.Sprintf("swop: remove %s for good?", counted(len(list), "version", "versions")))
		if err != nil || !yes {
			err := fmt.Errorf("%w: not agreed to, nothing was removed", disk.ErrUnsafe)
			return say.WithHint(err, "codex swop sync --displaced --prune --yes")
		}
	}
	for _, d := range list {
		if err := projection.Prune(s.store, d); err != nil {
			return err
		}
	}
	a.say("removed %s", counted(len(list), "version", "versions"))
	return nil
}

// moveSharedHome lets all accounts share another directory, while none of them is in use.
func (a *app) moveSharedHome(dir string) error {
	s, err := a.look()
	if err != nil {
		return err
	}
	if s.Root.SharedHome.Path == "" {
		return say.WithHint(errors.New("there is no root yet: the shared home is the CODEX_HOME in force when the first account is made"), "codex swop add work")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	accounts, err := s.store.Accounts()
	if err != nil {
		return err
	}
	for _, acct := range accounts {
		l, err := a.idle(s, acct, noForce)
		if err != nil {
			return err
		}
		defer l.Release()
	}
	if s.Root, err = s.store.MoveSharedHome(s.Root, dir); err != nil {
		return err
	}
	a.say("all accounts share %s now", dir)
	for _, acct := range accounts {
		if err := a.lastLook(s, acct); err != nil {
			return err
		}
	}
	return nil
}
