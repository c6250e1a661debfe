//go:build unix

package main

import (
	"github.com/spf13/cobra"

	"swop/install"
)

// purging is what a call of uninstall removes besides the programs.
type purging struct{ purge, deleteSessions, yes bool }

func (a *app) uninstallCommand() *cobra.Command {
	var o install.Options
	var p purging
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove swop; the accounts are kept",
		Long: "Remove swop's programs and its lines in the shells' start-up files. The accounts are kept for a later install\n" +
			"unless --purge is given. What they share, ~/.codex, is always kept.",
		Example: example("codex swop uninstall", "codex swop uninstall --purge    remove the accounts and their logins too"),
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if p.deleteSessions && !p.purge {
				return usage("--delete-sessions needs --purge")
			}
			p.yes = o.Yes
			return a.uninstall(o, p)
		},
	}
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "uninstall from `DIR` (default: where this program is installed)")
	cmd.Flags().BoolVar(&p.purge, "purge", false, "remove the accounts and their logins too")
	cmd.Flags().BoolVar(&p.deleteSessions, "delete-sessions", false, "with --purge: remove the transcripts of private accounts too")
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
