//go:build unix

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/account"
	"swop/account/login"
	"swop/account/store"
	"swop/config"
	"swop/config/file"
	"swop/home/history"
	"swop/home/mirror"
	"swop/install"
	"swop/manager/terminal"
	"swop/say"
	"swop/session"
	"swop/shim"
)

// app is what the process is given.
type app struct {
	args       []string
	env        config.Env
	executable string
	now        func() time.Time
	terminal.Streams
	suggests bool // a command of ours was suggested
}

// root returns the command tree, as much of it as the call needs.
func (a *app) root() *cobra.Command {
	if len(a.args) == 1 && (a.args[0] == "--version" || a.args[0] == "-V") {
		a.args = []string{"version"}
	}
	cmd := &cobra.Command{
		Use:         "swop",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "codex swop"},
		Short:       "Run codex under several accounts",
		Long: "Run codex under several accounts, also at the same time. Each account has its own login; sessions, configuration, skills and " +
			"history are shared, in your ~/.codex.\n\n" +
			"The account is chosen by, in this order: SWOP_ACCOUNT, the session that codex is started in, the innermost bound directory, the " +
			"active account. Without any of these codex runs as if swop were not there.",
		Example: example(
			"codex swop add work              log in, and keep the login as \"work\"",
			"codex swop use work              plain codex runs as \"work\"",
			"codex swop bind personal ~/mine  but as \"personal\" below ~/mine",
			"SWOP_ACCOUNT=personal codex      and once as \"personal\" here",
		),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownVerb(cmd, args[0])
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	cmd.RunE = func(*cobra.Command, []string) error { return a.summary() }
	cmd.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return refuseEmpty(c) }
	cmd.SetArgs(a.args)
	cmd.SetIn(a.Stdin)
	cmd.SetOut(a.Stdout)
	cmd.SetErr(a.Stderr)
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return wrongUsage(c, "%w", err) })
	cmd.CompletionOptions.DisableDefaultCmd = true
	a.addVerbs(cmd)
	a.setHelp(cmd)
	return cmd
}

// example returns the lines of a command's examples, indented.
func example(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }

// wrongUsage returns a usage error with a hint at the command's help.
func wrongUsage(cmd *cobra.Command, format string, args ...any) error {
	return say.WithHint(usage(format, args...), cmd.CommandPath()+" --help")
}

// takes returns a check of a verb's arguments: those that are named, the first least of them at least.
func takes(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least {
			return wrongUsage(cmd, "missing %s", strings.Join(names[len(args):least], " and "))
		}
		if len(args) > len(names) {
			return wrongUsage(cmd, "unexpected argument %q", args[len(names)])
		}
		return nil
	}
}

// exclusive refuses a call with more than one of the flags.
func exclusive(cmd *cobra.Command, names ...string) error {
	given := slices.DeleteFunc(names, func(name string) bool { return !cmd.Flags().Changed(name) })
	if len(given) > 1 {
		return wrongUsage(cmd, "--%s and --%s exclude each other", given[0], given[1])
	}
	return nil
}

// refuseEmpty refuses a flag with an empty value, as of a variable that is not set: without the flag the verb would do something else.
func refuseEmpty(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" {
			err = wrongUsage(cmd, "--%s needs a value", f.Name)
		}
	})
	return err
}

// setup is what a verb works with.
type setup struct {
	*app
	shim.Invocation
	store    store.Store
	settings config.Settings
	undo     func() // ends acting as HOME's owner, for what is not in that home
	lists    bool   // the verb lists the entries that wait
}

// look returns what a verb needs. It writes nothing.
func (a *app) look() (setup, error) {
	s := setup{app: a}
	var err error
	if s.Invocation, err = session.Look(a.env); err != nil {
		return s, err
	}
	if err := s.Owned(); err != nil {
		return s, err
	}
	s.undo = session.ActAsOwner(s.Invocation)
	if s.settings, err = file.ReadSettings(s.Places); err != nil {
		return s, err
	}
	s.store, err = store.Open(s.Places)
	return s, err
}

// open returns what look does, with the accounts brought up to date. What is wrong with another account is said and does not stop the verb.
func (a *app) open() (setup, error) {
	s, err := a.look()
	if err == nil {
		a.catchUp(s)
	}
	return s, err
}

// catchUp finishes what an earlier run left, reconciles the accounts that ran since, and prunes what is kept.
func (a *app) catchUp(s setup) {
	if s.Root.SharedHome.Path == "" {
		return
	}
	o := session.PrepareOptions{Stderr: a.Stderr}
	end := a.watch("", &o)
	_, err := mirror.SweepPending(s.store, "", s.Root, s.settings, a.checks(s, o.Say), o.Say)
	end()
	a.settleLogins(s)
	pruned := s.store.Hourly(".history", a.now(), func() error {
		_, err := history.Prune(s.store.Layout, a.now(), history.StandardLimits())
		return err
	})
	cleared := s.store.Hourly(".temps", a.now(), func() error { return s.store.ClearTemps(a.now()) })
	if err := errors.Join(s.store.EmptyTrash(), cleared, pruned, err); err != nil {
		say.Error(a.Stderr, err)
	}
}

// checks returns the questions of a reconcile.
func (a *app) checks(s setup, say func(string)) mirror.Checks {
	checks := session.Checks(s.store.Layout, say)
	checks.Listed = s.lists
	return checks
}

// settleLogins puts back the logins that codex login was to replace when it was killed.
func (a *app) settleLogins(s setup) {
	keys, _ := s.store.Keys("") // none can be read only where none can be used
	for _, key := range keys {
		back, err := login.Settle(account.Account{Key: key, Dir: s.store.AccountDir(key)})
		if back {
			a.say("account %q keeps the login that it had: codex login was killed", key)
		}
		if err != nil {
			say.Error(a.Stderr, err)
		}
	}
}

// ready completes the account's sandbox and locks it as a session of the policy does, "" for one that is not confined.
func (a *app) ready(s setup, label, policy string) (shim.Prepared, error) {
	if _, err := s.store.Find(label); err != nil {
		return shim.Prepared{}, err
	}
	s.Found = true
	o := session.PrepareOptions{Stderr: a.Stderr, Now: a.now(), Hold: policy != ""}
	o.Checks = session.Checks(s.store.Layout, func(line string) { o.Say(line) })
	defer a.watch(label, &o)()
	p, err := session.Prepare(s.Invocation, label, s.settings, o)
	p.Policy = policy
	return p, err
}

// hold finds the account and keeps others from removing or renaming it until the lock is released.
func (s setup) hold(label string) (account.Account, account.Lock, error) {
	acct, err := s.store.Find(label)
	if err != nil {
		return acct, account.Lock{}, err
	}
	l, err := s.store.LockShared(acct.Key, false) // waits for who does
	if err != nil {
		return acct, l, err
	}
	if acct, err = s.store.Find(label); err != nil {
		l.Release()
	}
	return acct, l, err
}

// shim is the path of the shim beside this program.
func (a *app) shim() string { return filepath.Join(filepath.Dir(a.executable), "codex") }

// codex returns the real codex: also where the shim would come to it by way of another installation's.
func (a *app) codex(s setup) (shim.Program, error) {
	real, err := s.FindCodex(s.settings, a.shim())
	if err == nil && install.IsShim(real.Path) {
		s.Env = install.WithoutShims(s.Env)
		real, err = s.FindCodex(s.settings, a.shim())
	}
	return real, err
}

func (a *app) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	a.suggests = a.suggests || strings.Contains(line, "codex swop ")
	say.Line(a.Stderr, "%s", line)
}

// sayPath says on a terminal how the commands that were suggested reach swop, where the shell would run another codex, or none.
func (a *app) sayPath() {
	if !a.suggests || !terminal.Is(a.Stderr) {
		return
	}
	if found, err := onPath("codex", a.env.Value("PATH")); err == nil && install.IsShim(found) {
		return
	}
	say.Line(a.Stderr, "hint: codex is not swop's in this shell yet; put it first: %s", install.LineFor(a.env.Value("SHELL"), filepath.Dir(a.executable)))
}
