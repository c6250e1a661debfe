//go:build unix

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"swop/install"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/login"
	"swop/manager/projection"
	"swop/say"
)

// purging is what is removed with swop's programs.
type purging struct{ purge, deleteSessions, yes bool }

func (a *app) uninstallCommand() *cobra.Command {
	var o install.Options
	var p purging
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take swop away; the accounts stay",
		Long: "Take swop's programs and its lines in the shells' start-up files away. The accounts stay for a later install\n" +
			"unless --purge is given. What they share, ~/.codex, stays in any case.",
		Example: example("codex swop uninstall", "codex swop uninstall --purge    the accounts and their logins too"),
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if p.deleteSessions && !p.purge {
				return usage("--delete-sessions goes with --purge")
			}
			p.yes = o.Yes
			return a.uninstall(o, p)
		},
	}
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "where swop is installed: `DIR` (default where this program is)")
	cmd.Flags().BoolVar(&p.purge, "purge", false, "remove the accounts and their logins too")
	cmd.Flags().BoolVar(&p.deleteSessions, "delete-sessions", false, "with --purge: the transcripts of private accounts go too")
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *app) uninstall(o install.Options, p purging) error {
	s, err := a.place(&o)
	if err != nil {
		return err
	}
	o.Accounts = s.Places.Root
	if p.purge {
		o.Purge = func() ([]string, error) { return a.purge(p) }
	}
	return a.report(install.Uninstall(o))
}

// purge removes every account as remove does, none if one of them is in use, and returns their directories.
func (a *app) purge(p purging) ([]string, error) {
	s, err := a.open()
	if err != nil {
		return nil, err
	}
	defer s.undo() // the programs may be root's
	accounts, err := s.store.Accounts()
	if err != nil {
		return nil, err
	}
	for _, acct := range accounts {
		if err := refuseUse(s, acct); err != nil {
			return nil, err
		}
	}
	if err := a.agreedToPurge(s, accounts, p); err != nil {
		return nil, err
	}
	for _, acct := range accounts {
		if err := a.mayPurge(s, acct, p); err != nil {
			return nil, err
		}
	}
	var gone []string
	for _, acct := range accounts {
		if err := a.purgeOne(s, acct, p); err != nil {
			return gone, err
		}
		gone = append(gone, acct.Dir)
	}
	if err := s.store.ClearTombstones(); err != nil {
		return gone, err
	}
	rest, err := a.removeRoot(s)
	return append(gone, rest...), err
}

// mayPurge brings what an account's programs made to the shared home, and refuses where something cannot be brought there, or was not
// agreed to: it would go with the account.
func (a *app) mayPurge(s scene, acct account.Account, p purging) error {
	l, err := a.idle(s, acct, noForce)
	if err != nil {
		return err
	}
	defer l.Release()
	return a.nothingWaits(s, acct, p)
}

func (a *app) nothingWaits(s scene, acct account.Account, p purging) error {
	if err := a.lastLook(s, acct); err != nil {
		return err
	}
	if err := nothingLeft(s, acct); err != nil {
		return say.WithHint(err, fmt.Sprintf("move it away, or codex swop remove --force %s", say.ShellQuote(acct.Meta.Label)))
	}
	t, err := projection.FindTranscripts(s.store, acct) // a session may have come and gone since they were said
	if err == nil && t.Files > 0 && !p.deleteSessions {
		err = refuseTranscripts([]string{acct.Meta.Label})
	}
	return err
}

func (a *app) purgeOne(s scene, acct account.Account, p purging) error {
	l, err := a.idle(s, acct, noForce)
	if err != nil {
		return err
	}
	defer l.Release()
	if err := a.nothingWaits(s, acct, p); err != nil { // made since the first look
		return err
	}
	if err := a.forget(s, acct.Key); err != nil {
		return err
	}
	return s.store.Delete(acct, "")
}

// agreedToPurge asks the person at the terminal, or wants --yes. What becomes of the transcripts of private accounts is to be said in any
// case, as to remove.
func (a *app) agreedToPurge(s scene, accounts []account.Account, p purging) error {
	var private []string // the labels of the accounts that have transcripts of their own
	for _, acct := range accounts {
		a.say("account %q alone has: %s", acct.Meta.Label, belongings(login.Of(acct, s.Root.SharedHome.Path)))
		a.sayOwn(s, acct)
		t, err := projection.FindTranscripts(s.store, acct)
		if err != nil {
			return err
		}
		if t.Files > 0 {
			a.sayTranscripts(t)
			private = append(private, acct.Meta.Label)
		}
	}
	switch {
	case len(private) > 0 && !p.deleteSessions:
		return refuseTranscripts(private)
	case p.yes || len(accounts) == 0:
		return nil
	}
	agreed, err := confirm(fmt.Sprintf("swop: remove swop and %s?", counted(len(accounts), "account", "accounts")))
	if err != nil {
		err := fmt.Errorf("%w: there is no terminal to ask on", disk.ErrUnsafe)
		hint := "codex swop uninstall --purge --yes"
		if p.deleteSessions {
			hint += " --delete-sessions"
		}
		return say.WithHint(err, hint)
	}
	if !agreed {
		return fmt.Errorf("%w: not agreed to, nothing was removed", disk.ErrUnsafe)
	}
	return nil
}

// refuseTranscripts refuses to remove transcripts that only the accounts with these labels have.
func refuseTranscripts(labels []string) error {
	var quoted []string
	for _, label := range labels {
		quoted = append(quoted, fmt.Sprintf("%q", label))
	}
	err := fmt.Errorf("%w: the transcripts of %s are their own", disk.ErrUnsafe, strings.Join(quoted, ", "))
	for _, label := range labels {
		err = say.WithHint(err, fmt.Sprintf("codex swop remove %s --keep-sessions DIR", say.ShellQuote(label)))
	}
	return say.WithHint(err, "codex swop uninstall --purge --delete-sessions")
}
