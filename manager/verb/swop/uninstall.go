package swop

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"swop/install"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/manager/verb/homes"
)

func Uninstall(call *verb.Call) *cobra.Command {
	var o install.Options
	var purge, force, yes bool
	var r accounts.Removal
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove swop; the accounts are kept",
		Long: "Remove swop's programs and its lines in the shells' start-up files. The accounts are kept for a later install\n" +
			"unless --purge is given. What they share, ~/.codex, is always kept, with what the last sessions made. It asks first, or needs --yes,\n" +
			"and refuses while sessions run, unless --force is given: they go on.",
		Example: verb.Example("codex swop uninstall", "codex swop uninstall --purge    remove the accounts and their logins too"),
		Args:    verb.Takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.DeleteSessions && !purge {
				return verb.Usagef("--delete-sessions needs --purge")
			}
			if err := verb.Exclusive(cmd, "purge", "force"); err != nil {
				return err
			}
			s, err := place(call, &o)
			if err != nil {
				return err
			}
			if r.Yes = yes; purge {
				err = runPurge(call, r)
			} else {
				err = keepAccounts(call, s.Places.Root, o.Prefix, force, yes)
			}
			if err != nil {
				return err
			}
			report, err := install.Uninstall(o)
			return printReport(call, report, err)
		},
	}
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "uninstall from `DIR` (default: where this program is installed)")
	cmd.Flags().BoolVar(&purge, "purge", false, "remove the accounts and their logins too")
	cmd.Flags().BoolVar(&r.DeleteSessions, "delete-sessions", false, "with --purge: remove the transcripts of private accounts too")
	cmd.Flags().BoolVar(&force, "force", false, "uninstall while sessions run")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// runPurge removes the accounts first: if it fails, nothing else is removed.
func runPurge(call *verb.Call, r accounts.Removal) error {
	gone, err := accounts.Purge(call, r)
	for _, path := range gone {
		err = errors.Join(err, verb.Line(call.Stdout, say.Printable("removed  "+path)))
	}
	return err
}

// keepAccounts asks, names the logins and shares what the last sessions made.
func keepAccounts(call *verb.Call, root, prefix string, force, yes bool) error {
	if err := mayUninstall(call, prefix, force, yes); err != nil {
		return err
	}
	if err := sayLogins(call); err != nil {
		return err
	}
	if err := shareLast(call); err != nil { // no reason not to uninstall
		say.Error(call.Stderr, err)
	}
	if !disk.IsDir(root) {
		return nil
	}
	return verb.Line(call.Stdout, say.Printable(fmt.Sprintf("kept: %s, the accounts (--purge removes them)", root)))
}

// mayUninstall refuses to uninstall beside running sessions, unless force, and asks.
func mayUninstall(call *verb.Call, prefix string, force, yes bool) error {
	if !force {
		if err := refuseSessions(call); errors.Is(err, account.ErrInUse) { // any other is no reason not to uninstall
			return say.WithHint(err, "or uninstall while they run: codex swop uninstall --force")
		}
	}
	if yes {
		return nil
	}
	return terminal.ConfirmRemoval(fmt.Sprintf("Remove swop from %s and from your start-up files? The accounts are kept.", prefix), "codex swop uninstall --yes")
}

// sayLogins says which logins lie in swop.
func sayLogins(call *verb.Call) error {
	s, err := call.Look()
	if err != nil {
		return nil //nolint:nilerr // accounts that cannot be read are no reason not to uninstall
	}
	return accounts.SayLogins(s)
}

// refuseSessions returns an error if one of the accounts is in use.
func refuseSessions(call *verb.Call) error {
	s, err := call.Look()
	if err != nil {
		return err
	}
	accounts, err := s.Store.Accounts()
	for _, acct := range accounts {
		err = errors.Join(err, verb.RefuseUse(s, acct))
	}
	return err
}

// shareLast shares what the last sessions made, and says where the entries of those that still run stay: no start will look for them.
func shareLast(call *verb.Call) error {
	s, err := call.Open()
	if err != nil {
		return err
	}
	accounts, err := s.Store.Accounts()
	if err != nil {
		return err
	}
	err = homes.SyncAll(s, accounts, account.ErrNoAccount)
	for _, acct := range accounts {
		if verb.RefuseUse(s, acct) != nil {
			s.Say("account %q is in use: what its sessions make stays in %s", acct.Meta.Label, say.Name(acct.Home()))
		}
	}
	return err
}
