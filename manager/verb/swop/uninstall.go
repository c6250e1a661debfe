package swop

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"swop/install"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/manager/verb/homes"
)

// removal is a call of uninstall.
type removal struct {
	install.Options
	accounts.Removal
	purge bool
}

func Uninstall(call *verb.Call) *cobra.Command {
	var r removal
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove swop; the accounts stay",
		Long: "Remove swop's programs, a codex that --with-codex installed, and the lines in start-up files. The accounts stay unless --purge " +
			"is given. What they share, ~/.codex, always stays, with what the last sessions made. It asks first, or needs --yes. Sessions " +
			"that run go on; what they make stays in their accounts.",
		Example: verb.Example("codex swop uninstall", "codex swop uninstall --purge    remove the accounts and their logins too"),
		Args:    verb.Takes(0),
		RunE:    func(*cobra.Command, []string) error { return uninstall(call, r) },
	}
	cmd.Flags().StringVar(&r.Prefix, "prefix", "", "uninstall from `DIR` (default: where this program is installed)")
	cmd.Flags().BoolVar(&r.purge, "purge", false, "remove the accounts and their logins too")
	cmd.Flags().BoolVar(&r.DeleteSessions, "delete-sessions", false, "with --purge: remove the transcripts of private accounts too")
	cmd.Flags().BoolVarP(&r.Yes, "yes", "y", false, "do not ask")
	return cmd
}

func uninstall(call *verb.Call, r removal) error {
	if r.DeleteSessions && !r.purge {
		return verb.Usagef("--delete-sessions needs --purge")
	}
	s, err := place(call, &r.Options)
	if err != nil {
		return err
	}
	r.Command = "codex swop uninstall" // from the prefix of the codex on PATH
	if found, _ := disk.OnPath("codex", s.Env.Value("PATH")); !disk.SameFile(found, programIn(r.Prefix)) {
		r.Command = cmp.Or(install.Removes(programIn(r.Prefix)), r.Command+" --prefix "+say.ShellQuote(r.Prefix))
	}
	question, stays := "? The accounts stay.", "the accounts (--purge removes them)"
	if r.purge {
		r.Command += " --purge"
		if r.DeleteSessions {
			r.Command += " --delete-sessions"
		}
		question, stays = ", and its accounts?", "links and earlier versions of files: remove it once nobody needs a file or a path in it"
	}
	if !r.Yes {
		question = fmt.Sprintf("Remove swop from %s and from your start-up files%s", r.Prefix, question)
		if err := terminal.ConfirmRemoval(question, r.Command+" --yes"); err != nil {
			return err
		}
	}
	if r.purge {
		err = accounts.Purge(call, r.Removal)
	} else if err := shareLast(call); err != nil {
		say.Error(call.Stderr, err) // accounts that cannot be read are no reason not to uninstall
	}
	former := [2]string{filepath.Join(s.Places.Root, store.FormerHomes), "sessions and history of accounts, which are nowhere else"}
	for _, place := range [][2]string{former, {s.Places.Root, stays}, {s.Places.Config, "your settings"}} {
		if err == nil && disk.IsDir(place[0]) {
			err = verb.Line(call.Stdout, fmt.Sprintf("stays: %s, %s", place[0], place[1]))
		}
	}
	if err != nil {
		return err
	}
	report, err := install.Uninstall(r.Options)
	if err := printReport(call, report, err); err != nil {
		return err
	}
	sayOthers(call, r.Options)
	return nil
}

// shareLast names the logins, shares the new entries of the last sessions, and says where the entries of running sessions stay: no later
// start shares them.
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
