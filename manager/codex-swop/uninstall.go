//go:build unix

package main

import (
	"github.com/spf13/cobra"

	"swop/install"
)

func (a *app) uninstallCommand() *cobra.Command {
	var o install.Options
	var purge bool
	var r removal
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove swop; the accounts are kept",
		Long: "Remove swop's programs and its lines in the shells' start-up files. The accounts are kept for a later install\n" +
			"unless --purge is given. What they share, ~/.codex, is always kept.",
		Example: example("codex swop uninstall", "codex swop uninstall --purge    remove the accounts and their logins too"),
		Args:    takes(0),
		RunE: func(*cobra.Command, []string) error {
			if r.deleteSessions && !purge {
				return usage("--delete-sessions needs --purge")
			}
			if r.yes = o.Yes; purge {
				o.Purge = func() ([]string, error) { return a.purge(r) }
			}
			return a.uninstall(o)
		},
	}
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "uninstall from `DIR` (default: where this program is installed)")
	cmd.Flags().BoolVar(&purge, "purge", false, "remove the accounts and their logins too")
	cmd.Flags().BoolVar(&r.deleteSessions, "delete-sessions", false, "with --purge: remove the transcripts of private accounts too")
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *app) uninstall(o install.Options) error {
	s, err := a.place(&o)
	if err != nil {
		return err
	}
	o.Accounts = s.Places.Root
	return a.report(install.Uninstall(o))
}
