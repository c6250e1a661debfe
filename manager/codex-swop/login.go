//go:build unix

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/account/login"
	"swop/disk"
	"swop/manager/terminal"
	"swop/say"
	"swop/session"
	"swop/shim"
)

func loginCommand(a *app) *cobra.Command {
	cmd := authCommand(a, "login", "Log an account in with codex login",
		"codex swop login work", "codex swop login work --device-auth", "codex swop login work status")
	cmd.Long += " A login that the account has is replaced once the new one is there; if that fails or is cancelled, it is kept. It is not " +
		"revoked at OpenAI: for that, log out first."
	cmd.ValidArgsFunction = completeWords(a.completeLabel, completeLogin)
	return cmd
}

func logoutCommand(a *app) *cobra.Command {
	return authCommand(a, "logout", "Log an account out, which revokes its login at OpenAI", "codex swop logout work", "codex swop logout work --yes")
}

// authCommand returns a verb that runs the codex command of the same name in an account. What follows the label goes to it, except our own flags.
func authCommand(a *app, name, short string, examples ...string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name + " LABEL [FLAGS OF CODEX " + strings.ToUpper(name) + "…]",
		Short: short,
		Long: short + ". It says whose login ends, and asks on a terminal; without one it needs --yes, and --force if sessions use the account. " +
			"The account's background server is stopped first: it would go on with the old login.",
		Example:            example(examples...),
		ValidArgsFunction:  completeWords(a.completeLabel),
		DisableFlagParsing: true,
	}
	yes := cmd.Flags().BoolP("yes", "y", false, "do not ask")
	force := cmd.Flags().Bool("force", false, "do not ask, even if sessions use the account; stop its server even mid-turn")
	rest := func(args []string) []string { // without the flags that are ours
		return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
			*yes, *force = *yes || arg == "--yes" || arg == "-y", *force || arg == "--force"
			return arg == "--yes" || arg == "-y" || arg == "--force"
		})
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		args = rest(args)
		return takes(1, "LABEL")(cmd, args[:min(1, len(args))])
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if args = rest(args); args[0] == "-h" || args[0] == "--help" {
			return cmd.Help()
		}
		return a.auth(args[0], append([]string{"codex", name}, args[1:]...), loginChange{ours: true, yes: *yes || *force, force: forceOf(*force)})
	}
	return cmd
}

// auth runs codex login or logout, whose argv is args, in the account that label names.
func (a *app) auth(label string, args []string, c loginChange) error {
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
		c.args, c.logsIn = args, shim.LogsIn(args)
		if err := a.mayChange(s, acct, c); err != nil {
			return err
		}
	}
	ready, err := a.ready(s, label, "")
	if err != nil {
		return err
	}
	if shim.ChangesLogin(args) {
		if err := a.stopServer(s, ready.Account, c.force); err != nil {
			return err
		}
	}
	if c.logsIn {
		a.sayOwnCommand(args[2:], "codex swop login "+say.ShellQuote(acct.Meta.Label))
		d := shim.Decision{Invocation: s.Invocation, Prepared: ready, Args: args, Env: s.Environment(ready)}
		status, err := session.RunLogin(&d, real.Path, a.Stderr)
		if err == nil && status != 0 {
			return exited(status)
		}
		return err
	}
	return shim.Exec(real.Path, args, s.Environment(ready))
}

// sayOwnCommand says what to type where codex, which knows no account, tells the person at the terminal to type "codex login".
func (a *app) sayOwnCommand(flags []string, command string) {
	if len(flags) == 0 && a.IsInteractive() {
		a.say("hint: where codex says \"codex login\", type: %s", command)
	}
}

// loginChange is a codex login or logout that is about to run.
type loginChange struct {
	args   []string // its argv
	logsIn bool
	ours   bool // codex swop login or logout; else codex's own, which goes on as codex would where nobody can be asked
	yes    bool // --yes or --force
	force  force
}

// command is the verb's command line for the account, with one more flag.
func (c loginChange) command(label, flag string) string {
	words := slices.Concat([]string{"codex", "swop", c.args[1], label}, c.args[2:], []string{flag})
	for i, word := range words {
		words[i] = say.ShellQuote(word)
	}
	return strings.Join(words, " ")
}

// mayChange says whose login ends with codex login or logout, and whether sessions use it. It asks the person at the terminal; without one a verb of ours
// refuses unless its flags agree.
func (a *app) mayChange(s setup, acct account.Account, c loginChange) error {
	if c.logsIn && !login.HoldsLogin(acct) || !login.MayHaveLogin(acct, s.Root.SharedHome.Path) {
		return nil
	}
	used := refuseUse(s, acct)
	if used != nil && !errors.Is(used, account.ErrInUse) {
		return used
	}
	question, ends, kept, hint := "Log it out?", "codex logout ends it", "the account stays logged in", ""
	if c.logsIn {
		question, ends, kept, hint = "Replace it?", "codex login replaces it", "the login is kept", "for another account: codex swop add LABEL"
	}
	has := fmt.Sprintf("account %q has a login: %s", acct.Meta.Label, login.Of(acct, s.Root.SharedHome.Path).Text())
	unasked := !a.IsInteractive() || c.yes
	switch {
	case unasked && c.ours && used != nil && c.force != forced:
		return say.WithHint(used, "or, with its sessions: "+c.command(acct.Meta.Label, "--force"))
	case unasked && c.ours && !c.yes:
		return say.WithHint(disk.Unsafe("%s; %s", has, ends), c.command(acct.Meta.Label, "--yes"))
	}
	if used != nil {
		a.say("%v", used)
	}
	if unasked {
		a.say("%s; %s", has, ends)
		return nil
	}
	err := orCancelled(kept)(terminal.Confirm(has + ". " + question))
	if hint != "" {
		err = say.WithHint(err, hint)
	}
	return err
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
	if err := a.mayChange(s, acct, loginChange{args: a.args, logsIn: shim.LogsIn(a.args)}); err != nil {
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
	if !a.IsInteractive() {
		return nil
	}
	yes, err := terminal.Confirm(fmt.Sprintf("there is no account %q yet. Create it, without a login?", label))
	return say.WithHint(orCancelled("no account was created")(yes, err), "codex swop add "+say.ShellQuote(label))
}
