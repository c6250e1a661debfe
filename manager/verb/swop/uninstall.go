package swop

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"swop/config"
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
	var purge, yes bool
	var r accounts.Removal
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove swop; the accounts are kept",
		Long: "Remove swop's programs and its lines in the shells' start-up files. The accounts are kept for a later install\n" +
			"unless --purge is given. What they share, ~/.codex, is always kept, with what the last sessions made. It asks first, or needs --yes.\n" +
			"Sessions that run go on; what they make stays in their accounts.",
		Example: verb.Example("codex swop uninstall", "codex swop uninstall --purge    remove the accounts and their logins too"),
		Args:    verb.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			if r.DeleteSessions && !purge {
				return verb.Usagef("--delete-sessions needs --purge")
			}
			s, err := place(call, &o)
			if err != nil {
				return err
			}
			if r.Yes = yes; purge {
				err = runPurge(call, r)
			} else {
				err = keepAccounts(call, s.Places, o.Prefix, yes)
			}
			if err != nil {
				return err
			}
			report, err := install.Uninstall(o)
			if err := printReport(call, report, err); err != nil {
				return err
			}
			sayOthers(call, o)
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "uninstall from `DIR` (default: where this program is installed)")
	cmd.Flags().BoolVar(&purge, "purge", false, "remove the accounts and their logins too")
	cmd.Flags().BoolVar(&r.DeleteSessions, "delete-sessions", false, "with --purge: remove the transcripts of private accounts too")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// runPurge removes the accounts first: if it fails, nothing else is removed.
func runPurge(call *verb.Call, r accounts.Removal) error {
	gone, err := accounts.Purge(call, r)
	for _, path := range gone {
		err = errors.Join(err, verb.Line(call.Stdout, "removed  "+path))
	}
	return err
}

// keepAccounts asks, names the logins and shares what the last sessions made. Accounts that cannot be read are no reason not to uninstall.
func keepAccounts(call *verb.Call, places config.Places, prefix string, yes bool) (err error) {
	if !yes {
		question := fmt.Sprintf("Remove swop from %s and from your start-up files? The accounts are kept.", prefix)
		if err := terminal.ConfirmRemoval(question, "codex swop uninstall --yes"); err != nil {
			return err
		}
	}
	if err := shareLast(call); err != nil {
		say.Error(call.Stderr, err)
	}
	for _, kept := range [][2]string{{places.Root, "the accounts (--purge removes them)"}, {places.Config, "your settings"}} {
		if disk.IsDir(kept[0]) {
			err = errors.Join(err, verb.Line(call.Stdout, fmt.Sprintf("kept: %s, %s", kept[0], kept[1])))
		}
	}
	return err
}

// shareLast names the logins, shares what the last sessions made, and says where the entries of those that still run stay: no start will
// look for them.
func shareLast(call *verb.Call) error {
	s, err := call.Open()
	if err != nil {
		return err
	}
	list, err := s.Store.Accounts()
	if err != nil {
		return err
	}
	err = errors.Join(accounts.SayLogins(s), homes.SyncAll(s, list, account.ErrNoAccount))
	for _, acct := range list {
		if verb.RefuseUse(s, acct) != nil {
			s.Say("account %q is in use: what its sessions make stays in %s", acct.Meta.Label, say.Name(acct.Home()))
		}
	}
	return err
}
