//go:build unix

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/config/file"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/login"
	"swop/manager/projection"
	"swop/manager/store"
	"swop/say"
	"swop/shim"
	"swop/shim/session"
)

// removal is a call of remove.
type removal struct {
	yes, force, logout bool
	keep               string // --keep-sessions
	deleteSessions     bool
}

func (a *app) removeCommand() *cobra.Command {
	var r removal
	cmd := &cobra.Command{
		Use:     "remove LABEL",
		Aliases: []string{"rm"},
		Short:   "Remove an account and its login",
		Long: "Remove an account and its login. What all accounts share stays: transcripts, configuration, skills.\n" +
			"The login is not revoked at OpenAI unless --logout is given.",
		Example: example("codex swop remove work", "codex swop remove work --yes --logout", "codex swop remove agent --keep-sessions ~/agent-sessions"),
		Args:    wants(1, 1, "a label"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exclusive(cmd, "keep-sessions", "delete-sessions"); err != nil {
				return err
			}
			return a.remove(args[0], r)
		},
	}
	cmd.Flags().BoolVarP(&r.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&r.force, "force", false, "cut off what its server still does, and go on where locks are missing")
	cmd.Flags().StringVar(&r.keep, "keep-sessions", "", "of a private account: move its transcripts to `DIR`")
	cmd.Flags().BoolVar(&r.deleteSessions, "delete-sessions", false, "of a private account: its transcripts go too")
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
	if err := refuseUse(s, acct); err != nil {
		return err
	}
	if _, err := file.ReadSelector(s.Places); err != nil {
		return err // it could not be cleared
	}
	transcripts, err := projection.FindTranscripts(s.store, acct)
	if err != nil {
		return err
	}
	if r.keep != "" {
		if r.keep, err = filepath.Abs(r.keep); err != nil {
			return err
		}
		if err := projection.CheckKeep(s.store, transcripts, r.keep); err != nil {
			return err
		}
	}
	if err := a.agreed(s, acct, transcripts, r); err != nil {
		return err
	}
	if r.logout {
		if err := a.logOut(s, acct, r); err != nil {
			return err
		}
	}
	l, err := a.settle(s, acct, r)
	if err != nil {
		return err
	}
	defer l.Release()
	if r.keep != "" {
		if err := a.keepTranscripts(s, acct, r.keep); err != nil {
			return err
		}
	}
	if err := a.forget(s, acct.Key); err != nil {
		return err
	}
	if err := s.store.Delete(acct, s.Root.SharedHome.Path); err != nil {
		return err
	}
	a.say("removed account %q", acct.Meta.Label)
	return nil
}

// settle takes the account exclusively and refuses where something would go with it that was not agreed to.
func (a *app) settle(s scene, acct account.Account, r removal) (account.Lock, error) {
	l, err := a.idle(s, acct, forceOf(r.force))
	if err != nil {
		return l, err
	}
	if err := a.maySettle(s, acct, r); err != nil {
		l.Release()
		return l, err
	}
	return l, nil
}

func (a *app) maySettle(s scene, acct account.Account, r removal) error {
	if err := a.lastLook(s, acct); err != nil {
		return err
	}
	if err := nothingLeft(s, acct); err != nil && !r.force {
		return say.WithHint(err, "move it away, or remove it with the account: --force")
	}
	t, err := projection.FindTranscripts(s.store, acct) // a session may have come and gone since they were said
	if err == nil && t.Files > 0 && !r.saysSessions() {
		err = ownTranscripts(acct)
	}
	return err
}

// saysSessions reports whether it is said what becomes of transcripts.
func (r removal) saysSessions() bool { return r.keep != "" || r.deleteSessions }

func ownTranscripts(acct account.Account) error {
	err := fmt.Errorf("%w: the transcripts of %q are its own", disk.ErrUnsafe, acct.Meta.Label)
	return say.WithHint(err, fmt.Sprintf("codex swop remove %s --keep-sessions DIR, or --delete-sessions", say.ShellQuote(acct.Meta.Label)))
}

// lastLook brings what the account's programs made to the shared home, before the sandbox goes. A sandbox that has lost its home has
// nothing to bring.
func (a *app) lastLook(s scene, acct account.Account) error {
	if whole, err := isWhole(s, acct); err != nil || !whole {
		return err
	}
	quiet := projection.Options{Idle: func() (bool, error) { return true, nil }, NoProcesses: session.NoProcesses(s.store.Layout), Thorough: true}
	return a.reconcile(s, acct, quiet)
}

// isWhole reports whether the sandbox has its directories. One that cannot be read is an error: what is in it is not known.
func isWhole(s scene, acct account.Account) (bool, error) {
	_, err := s.store.Account(acct.Key)
	if errors.Is(err, disk.ErrUnsafe) {
		return false, nil
	}
	return err == nil, err
}

// nothingLeft refuses to remove an account with an entry that should be shared and could not be brought there.
func nothingLeft(s scene, acct account.Account) error {
	if whole, err := isWhole(s, acct); err != nil || !whole {
		return err
	}
	defects, err := projection.Examine(s.store, acct, s.Root, s.settings)
	if err != nil || len(defects) == 0 {
		return err
	}
	return fmt.Errorf("%w: %q in the sandbox of %q %s", disk.ErrUnsafe, defects[0].Name, acct.Meta.Label, defects[0].Text)
}

func (a *app) keepTranscripts(s scene, acct account.Account, dir string) error {
	t, err := projection.FindTranscripts(s.store, acct)
	if err != nil {
		return err
	}
	if err := projection.KeepTranscripts(s.store, acct, t, dir); err != nil {
		return err
	}
	a.say("kept %s in %s", counted(t.Files, "transcript or database", "transcripts and databases"), dir)
	return nil
}

// agreed asks the person at the terminal, or wants --yes. What becomes of a private account's transcripts is to be said in any case.
func (a *app) agreed(s scene, acct account.Account, t projection.Transcripts, r removal) error {
	login := login.Of(acct, s.Root.SharedHome.Path)
	a.say("account %q alone has: %s", acct.Meta.Label, belongings(login))
	if login.Mode == "keyring" {
		a.say("its login is in the system's keyring, where it stays unless --logout is given")
	}
	a.sayOwn(s, acct)
	if t.Files > 0 {
		a.sayTranscripts(t)
		if !r.saysSessions() {
			return ownTranscripts(acct)
		}
	}
	if r.yes {
		return nil
	}
	yes, err := confirm(fmt.Sprintf("swop: remove account %q?", acct.Meta.Label))
	if err != nil {
		err := fmt.Errorf("%w: there is no terminal to ask on", disk.ErrUnsafe)
		return say.WithHint(err, "codex swop remove --yes "+say.ShellQuote(acct.Meta.Label))
	}
	if !yes {
		return fmt.Errorf("%w: not agreed to, nothing was removed", disk.ErrUnsafe)
	}
	return nil
}

func (a *app) sayTranscripts(t projection.Transcripts) {
	a.say("and %s, %d bytes: %s", counted(t.Files, "transcript or database", "transcripts and databases"), t.Bytes, strings.Join(t.Names, ", "))
}

// sayOwn says what goes with the account besides: what a pattern keeps to it, now or at an earlier time.
func (a *app) sayOwn(s scene, acct account.Account) {
	for _, list := range []func(store.Store, account.Account, config.Settings) ([]string, error){projection.OwnByPattern, projection.Pinned} {
		if own, err := list(s.store, acct, s.settings); err == nil && len(own) > 0 {
			a.say("and its own %s", strings.Join(own, ", "))
		}
	}
}

func belongings(login login.Login) string {
	if login.Mode == "none" {
		return "no login"
	}
	return "its login, " + login.Text()
}

// logOut runs codex logout in an account that can be removed: the login is not revoked for a removal that is refused then.
func (a *app) logOut(s scene, acct account.Account, r removal) error {
	l, err := a.settle(s, acct, r)
	if err != nil {
		return err
	}
	l.Release() // a codex that is a script may come to the shim, which locks it
	real, err := a.codex(s)
	if err != nil {
		return err
	}
	env := s.Environment(shim.Prepared{Account: acct, Root: s.Root, Settings: s.settings})
	err = a.runChild(real.Path, []string{"logout"}, env)
	var ended exited
	if errors.As(err, &ended) {
		return fmt.Errorf("codex logout ended with status %d: account %q stays", int(ended), acct.Meta.Label)
	}
	return err
}

// forget clears the selector's entries that name the account.
func (a *app) forget(s scene, key string) error {
	return s.store.ChangeSelector(func(sel *config.Selector) error {
		if names(sel.Account, key) {
			a.say("%q was the active account: codex runs without one now", sel.Account)
			sel.Account = ""
		}
		var left []config.Binding
		for _, b := range sel.Directory {
			if names(b.Account, key) {
				a.say("it was bound to %s: no longer", b.Path)
			} else {
				left = append(left, b)
			}
		}
		sel.Directory = left
		return nil
	})
}

// names reports whether the label is one of the account with this key.
func names(label, key string) bool {
	k, err := config.Key(label)
	return err == nil && k == key
}
