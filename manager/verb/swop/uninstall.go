package swop

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"swop/install"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/manager/verb/homes"
)

func Uninstall(call *verb.Call) *cobra.Command {
	var o install.Options
	var purge bool
	r := accounts.Removal{Command: "codex swop uninstall --purge"}
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
			if purge {
				err = purgeAccounts(call, s.Places.Root, o.Prefix, r)
			} else {
				err = keepAccounts(call, s.Places.Root, o.Prefix, r.Yes)
			}
			if err == nil {
				err = sayKept(call, s.Places.Config, "your settings")
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
	cmd.Flags().BoolVarP(&r.Yes, "yes", "y", false, "do not ask")
	return cmd
}

// purgeAccounts removes the accounts, once for each it was agreed to: if that fails, nothing else is removed.
func purgeAccounts(call *verb.Call, root, prefix string, r accounts.Removal) error {
	if !r.Yes {
		question := fmt.Sprintf("Remove swop from %s and from your start-up files, and its accounts?", prefix)
		if err := terminal.ConfirmRemoval(question, r.Command+" --yes"); err != nil {
			return err
		}
	}
	if err := accounts.Purge(call, r); err != nil {
		return err
	}
	return sayKept(call, root, "links and earlier versions of your files: remove it once no program runs that knows a path in it")
}

// keepAccounts asks, names the logins and shares what the last sessions made. Accounts that cannot be read are no reason not to uninstall.
func keepAccounts(call *verb.Call, root, prefix string, yes bool) error {
	if !yes {
		question := fmt.Sprintf("Remove swop from %s and from your start-up files? The accounts are kept.", prefix)
		if err := terminal.ConfirmRemoval(question, "codex swop uninstall --yes"); err != nil {
			return err
		}
	}
	if err := shareLast(call); err != nil {
		say.Error(call.Stderr, err)
	}
	return sayKept(call, root, "the accounts (--purge removes them)")
}

// sayKept prints which directory stays, if it is there.
func sayKept(call *verb.Call, dir, what string) error {
	if !disk.IsDir(dir) {
		return nil
	}
	return verb.Line(call.Stdout, fmt.Sprintf("kept: %s, %s", dir, what))
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
	err = errors.Join(accounts.SayLogins(s), homes.SyncAll(s, list))
	for _, acct := range list {
		if verb.RefuseUse(s, acct) != nil {
			s.Say("account %q is in use: what its sessions make stays in %s", acct.Meta.Label, say.Name(acct.Home()))
		}
	}
	return err
}
