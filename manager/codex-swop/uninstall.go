//go:build unix

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/home/mirror"
	"swop/install"
	"swop/manager/terminal"
	"swop/say"
)

func uninstallCommand(a *app) *cobra.Command {
	var o install.Options
	var purge, force bool
	var r removal
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove swop; the accounts are kept",
		Long: "Remove swop's programs and its lines in the shells' start-up files. The accounts are kept for a later install\n" +
			"unless --purge is given. What they share, ~/.codex, is always kept, with what the last sessions made. It asks first, or needs --yes,\n" +
			"and refuses while sessions run, unless --force is given: they go on.",
		Example: example("codex swop uninstall", "codex swop uninstall --purge    remove the accounts and their logins too"),
		Args:    takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.deleteSessions && !purge {
				return usage("--delete-sessions needs --purge")
			}
			if err := exclusive(cmd, "purge", "force"); err != nil {
				return err
			}
			if r.yes = o.Yes; purge {
				o.Purge = func() ([]string, error) { return a.purge(r) }
			}
			return a.uninstall(o, force)
		},
	}
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "uninstall from `DIR` (default: where this program is installed)")
	cmd.Flags().BoolVar(&purge, "purge", false, "remove the accounts and their logins too")
	cmd.Flags().BoolVar(&r.deleteSessions, "delete-sessions", false, "with --purge: remove the transcripts of private accounts too")
	cmd.Flags().BoolVar(&force, "force", false, "uninstall while sessions run")
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *app) uninstall(o install.Options, force bool) error {
	s, err := a.place(&o)
	if err != nil {
		return err
	}
	o.Accounts = s.Places.Root
	if o.Purge == nil {
		if err := a.mayUninstall(o, force); err != nil {
			return err
		}
		if err := a.shareLast(); err != nil { // no reason not to uninstall
			say.Error(a.Stderr, err)
		}
	}
	report, err := install.Uninstall(o)
	return a.report(report, err)
}

// mayUninstall refuses to uninstall beside running sessions, unless force, and asks.
func (a *app) mayUninstall(o install.Options, force bool) error {
	if !force {
		if err := a.refuseSessions(); errors.Is(err, account.ErrInUse) { // any other is no reason not to uninstall
			return say.WithHint(err, "or uninstall while they run: codex swop uninstall --force")
		}
	}
	if o.Yes {
		return nil
	}
	return terminal.ConfirmRemoval(fmt.Sprintf("Remove swop from %s and from your start-up files? The accounts are kept.", o.Prefix), "codex swop uninstall --yes")
}

// refuseSessions returns an error if one of the accounts is in use.
func (a *app) refuseSessions() error {
	s, err := a.look()
	if err != nil {
		return err
	}
	defer s.undo() // the programs may be root's
	accounts, err := s.store.Accounts()
	for _, acct := range accounts {
		err = errors.Join(err, refuseUse(s, acct))
	}
	return err
}

// shareLast shares what the last sessions made, and says what stays in the sandboxes, where no start will look for it.
func (a *app) shareLast() error {
	s, err := a.open()
	if err != nil {
		return err
	}
	defer s.undo() // the programs may be root's
	accounts, err := s.store.Accounts()
	if err != nil {
		return err
	}
	err = a.syncAll(s, accounts, account.ErrNoAccount)
	for _, acct := range accounts {
		a.sayStays(s, acct)
	}
	return err
}

// sayStays says what is not shared of the account, and where it stays.
func (a *app) sayStays(s setup, acct account.Account) {
	label := acct.Meta.Label
	if refuseUse(s, acct) != nil {
		a.say("account %q is in use: what its sessions make from now on stays in %s", label, say.Name(acct.Home()))
	}
	defects, _ := mirror.Examine(s.store, acct, s.Root, s.settings) // where it fails, so did the repair, which has said why
	for _, d := range defects {
		if !d.Own {
			continue
		}
		dir := acct.Home()
		if d.View == "codex" {
			dir = acct.CodexHome()
		}
		a.say("account %q: %s, and stays in %s", label, d, say.Name(dir))
	}
}
