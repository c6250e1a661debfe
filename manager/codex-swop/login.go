//go:build unix

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/login"
	"swop/say"
	"swop/shim"
	"swop/shim/session"
)

func (a *app) loginCommand() *cobra.Command {
	cmd := a.authCommand("login", "Log an account in with codex login",
		"codex swop login work", "codex swop login work --device-auth", "codex swop login work status")
	cmd.Long += " A login that the account has is replaced once the new one is there; if that fails or is cancelled, it is kept. It is not " +
		"revoked at OpenAI: for that, log out first."
	return cmd
}

func (a *app) logoutCommand() *cobra.Command {
	cmd := a.authCommand("logout", "Log an account out, which revokes its login at OpenAI", "codex swop logout work", "codex swop logout work --force")
	cmd.Long += " Sessions that run are logged out, too: it asks, or needs --force."
	return cmd
}

// authCommand returns a verb that runs the codex command of the same name in an account. What follows the label goes to it.
func (a *app) authCommand(verb, short string, examples ...string) *cobra.Command {
	return &cobra.Command{
		Use:                verb + " LABEL [FLAGS OF CODEX " + strings.ToUpper(verb) + "…]",
		Short:              short,
		Long:               short + ". The account's background server is stopped first: it would go on with the old login.",
		Example:            example(examples...),
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
				return cmd.Help()
			}
			if err := takes(1, "LABEL")(cmd, args[:min(1, len(args))]); err != nil {
				return err
			}
			return a.auth(verb, args[0], args[1:])
		},
	}
}

// auth runs codex login or logout with the flags in the account that label names.
func (a *app) auth(verb, label string, flags []string) error {
	change := loginChange{force: unforced, script: refuseUnasked}
	if at := slices.Index(flags, "--force"); verb == "logout" && at >= 0 {
		change.force, flags = forced, slices.Delete(slices.Clone(flags), at, at+1)
	}
	args := append([]string{"codex", verb}, flags...)
	s, err := a.open()
	if err != nil {
		return err
	}
	real, err := a.codex(s)
	if err != nil {
		return err
	}
	acct, err := s.store.Find(label)
	if err != nil {
		return err
	}
	if shim.ChangesLogin(args) {
		change.logsIn = shim.LogsIn(args)
		if err := a.mayChange(s, acct, change); err != nil {
			return err
		}
	}
	ready, err := a.ready(s, label, "")
	if err != nil {
		return err
	}
	if shim.ChangesLogin(args) {
		if err := a.stopServer(s, ready.Account, noForce); err != nil {
			return err
		}
	}
	if change.logsIn {
		a.sayOwnCommand(flags, "codex swop login "+say.ShellQuote(acct.Meta.Label))
	}
	if change.logsIn && login.HoldsLogin(ready.Account) {
		d := shim.Decision{Prepared: ready, Args: args, Env: s.Environment(ready)}
		status, err := session.RunLogin(&d, real.Path, a.stderr)
		if err == nil && status != 0 {
			return exited(status)
		}
		return err
	}
	return shim.Exec(real.Path, args, s.Environment(ready))
}

// sayOwnCommand says what to type where codex, which knows no account, tells the person at the terminal to type "codex login".
func (a *app) sayOwnCommand(flags []string, command string) {
	if len(flags) == 0 && a.isInteractive() {
		a.say("hint: where codex says \"codex login\", type: %s", command)
	}
}

// loginChange is a codex login or logout that is about to run.
type loginChange struct {
	logsIn bool
	force  force
	script unasked
}

// unasked says what to do about a change of a login where nobody can be asked.
type unasked int

const (
	refuseUnasked unasked = iota // a verb of ours: refuse a logout of sessions that run, and say whose login is replaced
	passUnasked                  // a call of codex: as codex would
)

// mayChange asks the person at the terminal before codex login replaces the account's login, or codex logout ends that of sessions that run.
func (a *app) mayChange(s setup, acct account.Account, c loginChange) error {
	if c.logsIn {
		return a.mayReplace(s, acct, c.script)
	}
	used := refuseUse(s, acct)
	if !errors.Is(used, account.ErrInUse) || c.force == forced {
		return disk.Ignore(used, account.ErrInUse)
	}
	if !a.isInteractive() {
		if c.script == passUnasked {
			return nil
		}
		return say.WithHint(used, "or log its sessions out, too: codex swop logout --force "+say.ShellQuote(acct.Meta.Label))
	}
	return orCancelled("the account stays logged in")(confirm(fmt.Sprintf("%v. Log it out anyway?", used)))
}

func (a *app) mayReplace(s setup, acct account.Account, script unasked) error {
	if !login.HoldsLogin(acct) {
		return nil
	}
	has := fmt.Sprintf("account %q has a login: %s", acct.Meta.Label, login.Of(acct, s.Root.SharedHome.Path).Text())
	if a.isInteractive() {
		err := orCancelled("the login is kept")(confirm(has + ". Replace it?"))
		return say.WithHint(err, "for another account: codex swop add LABEL")
	}
	if script == refuseUnasked {
		a.say("%s; it is replaced", has)
	}
	return nil
}

// orCancelled returns a function that takes what [confirm] returned, and returns an error unless the answer was yes.
func orCancelled(instead string) func(yes bool, err error) error {
	return func(yes bool, err error) error {
		if err == nil && !yes {
			return disk.Unsafe("cancelled; %s", instead)
		}
		return err
	}
}

// changeLoginOf is what a call of codex login or logout asks and does first, in the account with the label.
func (a *app) changeLoginOf(label string) error {
	s, acct, err := a.find(label)
	if err != nil {
		return err
	}
	if err := a.mayChange(s, acct, loginChange{shim.LogsIn(a.args), noForce, passUnasked}); err != nil {
		return err
	}
	return a.stopServer(s, acct, noForce)
}

// stopServerOf stops the background server of the account with the label.
func (a *app) stopServerOf(label string) error {
	s, acct, err := a.find(label)
	if err != nil {
		return err
	}
	return a.stopServer(s, acct, noForce)
}

// find returns the account with the label.
func (a *app) find(label string) (s setup, acct account.Account, err error) {
	if s, err = a.look(); err == nil {
		acct, err = s.store.Find(label)
	}
	return s, acct, err
}

// mayCreate asks the person at the terminal, if there is one, whether a start is to create the account.
func (a *app) mayCreate(label string) error {
	if !a.isInteractive() {
		return nil
	}
	yes, err := confirm(fmt.Sprintf("there is no account %q yet. Create it, without a login?", label))
	return say.WithHint(orCancelled("no account was created")(yes, err), "codex swop add "+say.ShellQuote(label))
}
