//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"swop/config"
	"swop/config/file"
	"swop/install"
	"swop/manager/account"
	"swop/manager/projection"
	"swop/manager/store"
	"swop/say"
	"swop/shim"
	"swop/shim/session"
)

// app is what the process is given.
type app struct {
	args       []string
	env        config.Env
	executable string
	now        func() time.Time
	stdin      *os.File
	stdout     *os.File
	stderr     *os.File
	unsaid     error // why the help was not printed, which cobra does not ask for
}

// root returns the command tree, as much of it as the call needs.
func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:         "swop",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "codex swop"},
		Short:       "Run codex under several accounts",
		Long: "Run codex under several accounts, also at the same time. Only the login is per account: sessions, configuration, skills and " +
			"history stay one, in your own ~/.codex.\n\n" +
			"Which account a codex runs as is decided, in this order, by SWOP_ACCOUNT, by the session that it is started in, by the " +
			"innermost directory that is bound, and by the account that is active. Without any of these it runs as if swop were not there.",
		Example: example(
			"codex swop add work              log in, and keep the login as \"work\"",
			"codex swop use work              plain codex runs as \"work\"",
			"codex swop bind personal ~/mine  but as \"personal\" below ~/mine",
			"SWOP_ACCOUNT=personal codex      and once as \"personal\" here",
		),
		Args:                       noArgs,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
	}
	cmd.RunE = func(*cobra.Command, []string) error { return a.summary() }
	cmd.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return refuseEmpty(c) }
	cmd.SetArgs(a.args)
	cmd.SetIn(a.stdin)
	cmd.SetOut(a.stdout)
	cmd.SetErr(a.stderr)
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return say.WithHint(usageError{err}, c.CommandPath()+" --help")
	})
	cmd.CompletionOptions.DisableDefaultCmd = true
	a.addVerbs(cmd)
	return cmd
}

// example indents the lines of a command's examples.
func example(lines ...string) string {
	text := ""
	for i, line := range lines {
		if i > 0 {
			text += "\n"
		}
		text += "  " + line
	}
	return text
}

// noArgs refuses arguments; of the command tree itself, an unknown verb.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return say.WithHint(usage("%s takes no argument, not %q", cmd.Name(), args[0]), cmd.CommandPath()+" --help")
	}
	return unknownVerb(cmd, args[0])
}

// wants checks the number of arguments; what names them, in the words of the usage line.
func wants(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		return say.WithHint(usage("%s wants %s, got %d arguments", cmd.Name(), what, len(args)), cmd.CommandPath()+" --help")
	}
}

// exclusive refuses a call with more than one of the flags.
func exclusive(cmd *cobra.Command, names ...string) error {
	given := ""
	for _, name := range names {
		if !cmd.Flags().Changed(name) {
			continue
		}
		if given != "" {
			return say.WithHint(usage("--%s and --%s exclude one another", given, name), cmd.CommandPath()+" --help")
		}
		given = name
	}
	return nil
}

// refuseEmpty refuses a flag that was given an empty value, as of a variable that is not set: to go on without the flag would do another
// thing than was asked for.
func refuseEmpty(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" {
			err = say.WithHint(usage("--%s wants a value", f.Name), cmd.CommandPath()+" --help")
		}
	})
	return err
}

// scene is what a verb works on.
type scene struct {
	shim.Invocation
	store    store.Store
	settings config.Settings
	undo     func() // ends acting as HOME's owner, for what is not in his home
}

// look reads what a verb needs: it writes nothing.
func (a *app) look() (scene, error) {
	var s scene
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

// open is look, and brings the accounts up to date first: what an earlier run left is finished, what ran since is reconciled.
// Another account's defects are said and do not stop the verb.
func (a *app) open() (scene, error) {
	s, err := a.look()
	if err == nil {
		a.catchUp(s)
	}
	return s, err
}

// catchUp is what open does besides looking.
func (a *app) catchUp(s scene) {
	if s.Root.SharedHome.Path == "" {
		return
	}
	err := a.sweep(s)
	if err := errors.Join(s.store.EmptyTrash(), s.store.ClearTemps(a.now()), err); err != nil {
		say.Error(a.stderr, err)
	}
}

// sweep reconciles the accounts that ran since their last reconcile.
func (a *app) sweep(s scene) error {
	m := session.PrepareOptions{Stderr: a.stderr}
	defer a.watch("", &m)()
	_, err := projection.SweepPending(s.store, "", s.Root, s.settings, session.NoProcesses(s.store.Layout), m.Say)
	return err
}

// ready makes the account's sandbox whole and locks it as a session does.
func (a *app) ready(s scene, label string) (shim.Prepared, error) {
	if _, err := s.store.Find(label); err != nil {
		return shim.Prepared{}, err
	}
	s.Found = true
	m := session.PrepareOptions{NoProcesses: session.NoProcesses(s.store.Layout), Stderr: a.stderr, Now: a.now()}
	defer a.watch(label, &m)()
	return session.Prepare(s.Invocation, label, s.settings, m)
}

// hold finds the account and keeps others from removing or renaming it until the lock is released.
func (s scene) hold(label string) (account.Account, account.Lock, error) {
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
func (a *app) codex(s scene) (shim.Program, error) {
	real, err := s.FindCodex(s.settings, a.shim())
	if err == nil && install.IsShim(real.Path) {
		s.Env = install.WithoutShims(s.Env)
		real, err = s.FindCodex(s.settings, a.shim())
	}
	return real, err
}

func (a *app) say(format string, args ...any) { say.Line(a.stderr, format, args...) }

// interactive reports whether there is a person who can answer.
func (a *app) interactive() bool {
	return term.IsTerminal(int(a.stdin.Fd())) && term.IsTerminal(int(a.stderr.Fd()))
}
