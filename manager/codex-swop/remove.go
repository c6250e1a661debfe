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

	"swop/account"
	"swop/account/login"
	"swop/account/store"
	"swop/config"
	"swop/config/file"
	"swop/disk"
	"swop/home/mirror"
	"swop/manager/terminal"
	"swop/say"
	"swop/shim"
)

// removal is a call of remove, or of uninstall --purge.
type removal struct {
	yes, logout    bool
	force          force
	keep           string // --keep-sessions
	deleteSessions bool
}

func removeCommand(a *app) *cobra.Command {
	var r removal
	var force bool
	cmd := &cobra.Command{
		Use:     "remove LABEL",
		Aliases: []string{"rm"},
		Short:   "Remove an account and its login",
		Long: "Remove an account and its login. What all accounts share is kept: transcripts, configuration, skills.\n" +
			"The login is not revoked at OpenAI unless --logout is given.",
		ValidArgsFunction: completeWords(a.completeLabel),
		Example:           example("codex swop remove work", "codex swop remove work --yes --logout", "codex swop remove agent --keep-sessions ~/agent-sessions"),
		Args:              takes(1, "LABEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exclusive(cmd, "keep-sessions", "delete-sessions"); err != nil {
				return err
			}
			r.force = forceOf(force)
			return a.remove(args[0], r)
		},
	}
	cmd.Flags().BoolVarP(&r.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&force, "force", false, "stop its server even mid-turn; proceed without file locks")
	cmd.Flags().StringVar(&r.keep, "keep-sessions", "", "move a private account's transcripts to `DIR`")
	cmd.Flags().BoolVar(&r.deleteSessions, "delete-sessions", false, "remove a private account's transcripts too")
	cmd.Flags().BoolVar(&r.logout, "logout", false, "run codex logout first, which revokes the login at OpenAI")
	return cmd
}

func (a *app) remove(label string, r removal) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	acct, err := s.store.FindRemnant(label)
	if err != nil {
		return err
	}
	if err := a.mayRemove(s, acct, &r); err != nil {
		return err
	}
	if r.logout {
		if err := a.logOut(s, acct, r); err != nil {
			return err
		}
	}
	l, err := a.lockRemovable(s, acct, r)
	if err != nil {
		return err
	}
	defer l.Release()
	if r.keep != "" {
		if err := a.keepTranscripts(s, acct, r.keep); err != nil {
			return err
		}
	}
	if err := a.unselect(s, acct.Key); err != nil {
		return err
	}
	if err := s.store.Delete(acct, s.Root.SharedHome.Path); err != nil {
		return err
	}
	a.say("removed account %q", acct.Meta.Label)
	for _, place := range s.named(acct.Key) {
		a.say("%v stays, and would apply to a new %q", place, place.Label)
	}
	return nil
}

// mayRemove refuses what cannot work, and asks the person at the terminal unless --yes is given. It makes r.keep absolute.
func (a *app) mayRemove(s setup, acct account.Account, r *removal) error {
	if err := refuseUse(s, acct); err != nil {
		return err
	}
	if _, err := file.ReadSelector(s.Places); err != nil {
		return err // the account could not be removed from it
	}
	if r.keep != "" {
		transcripts, err := s.store.Transcripts(acct)
		if err == nil {
			r.keep, err = filepath.Abs(r.keep)
		}
		if err == nil {
			err = s.store.CheckKeep(transcripts, r.keep)
		}
		if err != nil {
			return err
		}
	}
	transcripts, err := a.sayLost(s, acct)
	switch {
	case err != nil:
		return err
	case transcripts && !r.decidesSessions():
		return refuseTranscripts("codex swop remove "+say.ShellQuote(acct.Meta.Label)+" --delete-sessions", acct.Meta.Label)
	case r.yes:
		return nil
	}
	return terminal.ConfirmRemoval(fmt.Sprintf("remove account %q?", acct.Meta.Label), "codex swop remove --yes "+say.ShellQuote(acct.Meta.Label))
}

// sayLost says what would be lost with the account, and reports whether transcripts are among it.
func (a *app) sayLost(s setup, acct account.Account) (transcripts bool, err error) {
	label := acct.Meta.Label
	own := login.Of(acct, s.Root.SharedHome.Path)
	lost := a.sayOwn(s, acct)
	t, err := s.store.Transcripts(acct)
	if err != nil {
		return false, err
	}
	if t.Files > 0 {
		a.say("account %q has its own %s, %d bytes: %s", label, transcriptsOf(t), t.Bytes, strings.Join(t.Names, ", "))
	}
	switch {
	case own.Mode == "keyring":
		a.say("account %q has a login in the system's keyring, where it is kept unless you log out first: codex swop logout %s", label, say.ShellQuote(label))
	case own.Mode != "none":
		a.say("account %q has a login: %s", label, own.Text())
	case lost || t.Files > 0:
		a.say("account %q has no login", label)
	default:
		a.say("account %q has no login; nothing will be lost", label)
	}
	return t.Files > 0, nil
}

// sayOwn says what is kept to the account, now or earlier, and reports whether there is any.
func (a *app) sayOwn(s setup, acct account.Account) bool {
	own, err := mirror.Own(s.store, acct, s.settings)
	unpaired, err2 := mirror.Unpaired(s.store, acct, s.Root)
	for _, name := range unpaired {
		own = append(own, strconv.Quote(name))
	}
	if errors.Join(err, err2) != nil || len(own) == 0 {
		return false
	}
	a.say("account %q has its own %s", acct.Meta.Label, strings.Join(own, ", "))
	return true
}

func transcriptsOf(t store.Transcripts) string {
	return terminal.Counted(t.Files, "transcript or database", "transcripts and databases")
}

// decidesSessions reports whether the call says what becomes of a private account's transcripts.
func (r removal) decidesSessions() bool { return r.keep != "" || r.deleteSessions }

// refuseTranscripts returns the error for transcripts that only the accounts with these labels have; command removes them too.
func refuseTranscripts(command string, labels ...string) error {
	var quoted []string
	for _, label := range labels {
		quoted = append(quoted, strconv.Quote(label))
	}
	err := disk.Unsafe("the private transcripts of %s would be lost", strings.Join(quoted, ", "))
	for _, label := range labels {
		err = say.WithHint(err, fmt.Sprintf("codex swop remove %s --keep-sessions DIR", say.ShellQuote(label)))
	}
	return say.WithHint(err, command)
}

// lockRemovable locks the account exclusively. It refuses where something would be lost that the user did not agree to.
func (a *app) lockRemovable(s setup, acct account.Account, r removal) (account.Lock, error) {
	l, err := a.lockIdle(s, acct, r.force)
	if err != nil {
		return l, err
	}
	if err := a.rescue(s, acct); err != nil {
		l.Release()
		return l, err
	}
	if err := nothingLeft(s, acct); err != nil && r.force != forced {
		l.Release()
		return l, say.WithHint(err, "move it elsewhere, or remove it with the account: codex swop remove --force "+say.ShellQuote(acct.Meta.Label))
	}
	t, err := s.store.Transcripts(acct) // a session may have run since they were shown
	if err == nil && t.Files > 0 && !r.decidesSessions() {
		err = refuseTranscripts("codex swop remove "+say.ShellQuote(acct.Meta.Label)+" --delete-sessions", acct.Meta.Label)
	}
	if err != nil {
		l.Release()
	}
	return l, err
}

// rescue moves what the account's programs made to the shared home, before the sandbox is removed. A sandbox without its home has nothing.
func (a *app) rescue(s setup, acct account.Account) error {
	if complete, err := isComplete(s, acct); err != nil || !complete {
		return err
	}
	return a.reconcile(s, acct, a.thorough(s, true))
}

// thorough returns how to reconcile all of an account, idle or not.
func (a *app) thorough(s setup, idle bool) mirror.Options {
	return mirror.Options{
		Idle: func() (bool, error) { return idle, nil }, Checks: a.checks(s, func(line string) { a.say("%s", line) }), Thorough: true,
	}
}

// isComplete reports whether the sandbox has its directories. One that cannot be read is an error: what is in it is not known.
func isComplete(s setup, acct account.Account) (bool, error) {
	_, err := s.store.Account(acct.Key)
	if errors.Is(err, disk.ErrUnsafe) {
		return false, nil
	}
	return err == nil, err
}

// nothingLeft refuses an account with an entry that should be shared and could not be moved to the shared home.
func nothingLeft(s setup, acct account.Account) error {
	if complete, err := isComplete(s, acct); err != nil || !complete {
		return err
	}
	defects, err := mirror.Examine(s.store, acct, s.Root, s.settings)
	at := slices.IndexFunc(defects, func(d mirror.Defect) bool { return d.Own })
	if err != nil || at < 0 {
		return err
	}
	left := defects[at]
	left.Text = fmt.Sprintf("in the sandbox of %q %s", acct.Meta.Label, left.Text)
	return disk.Unsafe("%s", left.String())
}

func (a *app) keepTranscripts(s setup, acct account.Account, dir string) error {
	t, err := s.store.Transcripts(acct)
	if err != nil {
		return err
	}
	if err := s.store.KeepTranscripts(acct, t, dir); err != nil {
		return err
	}
	a.say("kept %s in %s", transcriptsOf(t), dir)
	return nil
}

// logOut runs codex logout in an account that can be removed: else its login would be revoked, and the removal refused then.
func (a *app) logOut(s setup, acct account.Account, r removal) error {
	l, err := a.lockRemovable(s, acct, r)
	if err != nil {
		return err
	}
	l.Release() // a codex that is a script may come to the shim, which locks it
	var ended exited
	if err := a.runCodexIn(s, acct, "logout"); errors.As(err, &ended) {
		return fmt.Errorf("codex logout ended with status %d: account %q is kept", int(ended), acct.Meta.Label)
	} else if err != nil {
		return err
	}
	return nil
}

// runCodexIn runs codex in the account, which is locked or new, and waits for it.
func (a *app) runCodexIn(s setup, acct account.Account, args ...string) error {
	real, err := a.codex(s)
	if err != nil {
		return err
	}
	return a.runChild(real.Path, args, s.Environment(shim.Prepared{Account: acct, Root: s.Root, Settings: s.settings}))
}

// unselect removes the account from the selector.
func (a *app) unselect(s setup, key string) error {
	return s.store.ChangeSelector(func(sel *config.Selector) error {
		if hasKey(sel.Account, key) {
			a.say("%q was the active account: codex runs without one now", sel.Account)
			sel.Account = ""
		}
		sel.Directory = slices.DeleteFunc(sel.Directory, func(b config.Binding) bool {
			if !hasKey(b.Account, key) {
				return false
			}
			a.say("removed its binding of %s", b.Path)
			return true
		})
		return nil
	})
}

// hasKey reports whether the label is one of the account with this key.
func hasKey(label, key string) bool {
	k, err := config.Key(label)
	return err == nil && k == key
}
