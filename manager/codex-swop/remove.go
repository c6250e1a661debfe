//go:build unix

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/manager"
	"swop/shim"
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
	account, err := s.store.FindRemnant(label)
	if err != nil {
		return err
	}
	if err := refuseUse(s, account); err != nil {
		return err
	}
	if _, err := config.ReadSelector(s.Places); err != nil {
		return err // it could not be cleared
	}
	transcripts, err := s.store.Transcripts(account)
	if err != nil {
		return err
	}
	if r.keep != "" {
		if r.keep, err = filepath.Abs(r.keep); err != nil {
			return err
		}
		if err := s.store.CheckKeep(transcripts, r.keep); err != nil {
			return err
		}
	}
	if err := a.agreed(s, account, transcripts, r); err != nil {
		return err
	}
	if r.logout {
		if err := a.logOut(s, account, r); err != nil {
			return err
		}
	}
	l, err := a.settle(s, account, r)
	if err != nil {
		return err
	}
	defer l.Release()
	if r.keep != "" {
		if err := a.keepTranscripts(s, account, r.keep); err != nil {
			return err
		}
	}
	if err := a.forget(s, account.Key); err != nil {
		return err
	}
	if err := s.store.Delete(account, s.Root.SharedHome.Path); err != nil {
		return err
	}
	a.say("removed account %q", account.Meta.Label)
	return nil
}

// settle takes the account exclusively and refuses where something would go with it that was not agreed to.
func (a *app) settle(s scene, account manager.Account, r removal) (manager.Lock, error) {
	l, err := a.idle(s, account, forceOf(r.force))
	if err != nil {
		return l, err
	}
	if err := a.maySettle(s, account, r); err != nil {
		l.Release()
		return l, err
	}
	return l, nil
}

func (a *app) maySettle(s scene, account manager.Account, r removal) error {
	if err := a.lastLook(s, account); err != nil {
		return err
	}
	if err := nothingLeft(s, account); err != nil && !r.force {
		return config.WithHint(err, "move it away, or remove it with the account: --force")
	}
	t, err := s.store.Transcripts(account) // a session may have come and gone since they were said
	if err == nil && t.Files > 0 && !r.saysSessions() {
		err = ownTranscripts(account)
	}
	return err
}

// saysSessions reports whether it is said what becomes of transcripts.
func (r removal) saysSessions() bool { return r.keep != "" || r.deleteSessions }

func ownTranscripts(account manager.Account) error {
	err := fmt.Errorf("%w: the transcripts of %q are its own", manager.ErrUnsafe, account.Meta.Label)
	return config.WithHint(err, fmt.Sprintf("codex swop remove %s --keep-sessions DIR, or --delete-sessions", manager.ShellQuote(account.Meta.Label)))
}

// lastLook brings what the account's programs made to the shared home, before the sandbox goes. A sandbox that has lost its home has
// nothing to bring.
func (a *app) lastLook(s scene, account manager.Account) error {
	if whole, err := isWhole(s, account); err != nil || !whole {
		return err
	}
	quiet := manager.Quiet{Resting: func() (bool, error) { return true, nil }, Silent: s.silent, Thorough: true}
	return a.reconcile(s, account, quiet)
}

// isWhole reports whether the sandbox has its directories. One that cannot be read is an error: what is in it is not known.
func isWhole(s scene, account manager.Account) (bool, error) {
	_, err := s.store.Account(account.Key)
	if errors.Is(err, manager.ErrUnsafe) {
		return false, nil
	}
	return err == nil, err
}

// nothingLeft refuses to remove an account with an entry that should be shared and could not be brought there.
func nothingLeft(s scene, account manager.Account) error {
	if whole, err := isWhole(s, account); err != nil || !whole {
		return err
	}
	defects, err := s.store.Examine(account, s.Root, s.settings)
	if err != nil || len(defects) == 0 {
		return err
	}
	return fmt.Errorf("%w: %q in the sandbox of %q %s", manager.ErrUnsafe, defects[0].Name, account.Meta.Label, defects[0].Text)
}

func (a *app) keepTranscripts(s scene, account manager.Account, dir string) error {
	t, err := s.store.Transcripts(account)
	if err != nil {
		return err
	}
	if err := s.store.KeepTranscripts(account, t, dir); err != nil {
		return err
	}
	a.say("kept %s in %s", counted(t.Files, "transcript or database", "transcripts and databases"), dir)
	return nil
}

// agreed asks the person at the terminal, or wants --yes. What becomes of a private account's transcripts is to be said in any case.
func (a *app) agreed(s scene, account manager.Account, t manager.Transcripts, r removal) error {
	login := account.Login(s.Root.SharedHome.Path)
	a.say("account %q alone has: %s", account.Meta.Label, belongings(login))
	if login.Mode == "keyring" {
		a.say("its login is in the system's keyring, where it stays unless --logout is given")
	}
	a.sayOwn(s, account)
	if t.Files > 0 {
		a.sayTranscripts(t)
		if !r.saysSessions() {
			return ownTranscripts(account)
		}
	}
	if r.yes {
		return nil
	}
	yes, err := confirm(fmt.Sprintf("swop: remove account %q?", account.Meta.Label))
	if err != nil {
		err := fmt.Errorf("%w: there is no terminal to ask on", manager.ErrUnsafe)
		return config.WithHint(err, "codex swop remove --yes "+manager.ShellQuote(account.Meta.Label))
	}
	if !yes {
		return fmt.Errorf("%w: not agreed to, nothing was removed", manager.ErrUnsafe)
	}
	return nil
}

func (a *app) sayTranscripts(t manager.Transcripts) {
	a.say("and %s, %d bytes: %s", counted(t.Files, "transcript or database", "transcripts and databases"), t.Bytes, strings.Join(t.Names, ", "))
}

// sayOwn says what goes with the account besides: what a pattern keeps to it, now or at an earlier time.
func (a *app) sayOwn(s scene, account manager.Account) {
	for _, list := range []func(manager.Account, config.Settings) ([]string, error){s.store.OwnByPattern, s.store.Kept} {
		if own, err := list(account, s.settings); err == nil && len(own) > 0 {
			a.say("and its own %s", strings.Join(own, ", "))
		}
	}
}

func belongings(login manager.Login) string {
	if login.Mode == "none" {
		return "no login"
	}
	return "its login, " + listLogin(login).text()
}

// logOut runs codex logout in an account that can be removed: the login is not revoked for a removal that is refused then.
func (a *app) logOut(s scene, account manager.Account, r removal) error {
	l, err := a.settle(s, account, r)
	if err != nil {
		return err
	}
	l.Release() // a codex that is a script may come to the shim, which locks it
	real, err := a.codex(s)
	if err != nil {
		return err
	}
	env := s.Environment(shim.Ready{Account: account, Root: s.Root, Settings: s.settings})
	err = a.runChild(real.Path, []string{"logout"}, env)
	var ended exited
	if errors.As(err, &ended) {
		return fmt.Errorf("codex logout ended with status %d: account %q stays", int(ended), account.Meta.Label)
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
