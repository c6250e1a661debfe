//go:build unix

package shim

import (
	"errors"
	"io"
	"io/fs"
	"time"

	"swop/config"
	"swop/manager/account"
	"swop/say"
)

// Call is one call of codex: what its process was given.
type Call struct {
	Args       []string
	Env        config.Env
	Executable func() (string, error) // the path of the shim
	Stderr     io.Writer
	Now        time.Time
	Handover   string // argv[0] of the codex-swop that goes on with the call; "" in codex itself

	dir string // the working directory, once it was asked for
}

// Handover is argv[0] of a codex-swop that goes on with a call of codex; the arguments of codex follow, its own argv[0] first. It is no
// verb, so that nobody types it. HandoverFound says in addition that the fast path has seen the account and waited for its lock: if it is
// gone now, it is not created again.
const (
	Handover      = "codex-swop: call"
	HandoverFound = "codex-swop: call, found"
)

// Run is a call of codex by the shim: the fast path where there is nothing to repair and nothing to say, else codex-swop in the same
// process. It returns the exit status only where no program could be started.
func Run(c Call) int {
	if len(c.Args) > 1 && c.Args[1] == "swop" {
		return c.Fail(c.execSibling("codex-swop", c.Args[2:]...))
	}
	fast := fastReader{now: c.Now}
	d, err := c.Decide(&fast)
	if err == nil {
		_ = d.exec(c.Args) // why it could not start is said by codex-swop, which finds the same
		d.Lock.Release()
	}
	argv0 := Handover
	if fast.found {
		argv0 = HandoverFound
	}
	err = c.execSibling(argv0, c.Args...)
	if errors.Is(err, fs.ErrNotExist) && c.execdByShim() {
		err = c.passOn()
	}
	return c.Fail(err)
}

// RunWith is a call of codex with what r reads: the slow path. It returns the exit status only where no program could be started.
func (c Call) RunWith(r Reader) int {
	d, err := c.Decide(r)
	if err == nil {
		err = d.exec(c.Args)
	}
	return c.Fail(err)
}

// Fail says why the real codex did not start, and returns the exit status.
func (c *Call) Fail(err error) int {
	say.Error(c.Stderr, err)
	return status(err)
}

// Reader answers what a call asks of files and processes. There are two: the fast one answers only where there is nothing to repair and
// nothing to say, and fails otherwise; the other is in package session. The questions, and their order, are [Call.Decide]'s.
type Reader interface {
	// Caller returns who calls, without what a session has set.
	Caller(config.Env) (Caller, error)
	// Look returns what the call finds: who calls, and where swop's files are.
	Look(config.Env) (Invocation, error)
	Settings(config.Places) (config.Settings, error)
	Selector(config.Places) (config.Selector, error)
	// Prepare returns the account that the label names, with its sandbox complete and its lock held for a session.
	Prepare(i *Invocation, label string, s *config.Settings) (Prepared, error)
	// StopServer stops the account's background server, which would go on with the old login.
	StopServer(*Invocation, *Prepared) error
	// CheckConfig fails where codex's configuration would cost the account its login.
	CheckConfig(*Prepared, account.CodexCall) error
}

// Decision is what a call execs.
type Decision struct {
	Program  Program
	Env      config.Env
	Settings config.Settings
	Lock     account.Lock // held for a session; of no account, it is not held
}

// Decide asks the questions of a call in their order: bypass, update, no account, account, calls that change the login, calls that keep
// it. Each exemption is a row of [subcommands].
func (c *Call) Decide(r Reader) (Decision, error) {
	if len(c.Args) == 0 {
		return Decision{}, errors.New("started without an argument vector")
	}
	if c.Env.Value("SWOP_BYPASS") == "1" {
		caller, err := r.Caller(c.Env)
		if err != nil {
			return Decision{}, err
		}
		return c.withoutAccount(caller, config.Settings{})
	}
	i, err := r.Look(c.Env)
	if err != nil {
		return Decision{}, err
	}
	settings, err := r.Settings(i.Places)
	if err != nil {
		return Decision{}, i.Blame(err)
	}
	kind := kindOf(c.Args)
	if kind == updates {
		settings.Launch = config.LaunchAsInstalled
		return c.withoutAccount(i.Caller, settings)
	}
	choice, err := i.Choose(r.Selector)
	switch {
	case err != nil:
		return Decision{}, err
	case choice.Label == "" && c.Handover == HandoverFound:
		return Decision{}, errors.New("the account that was chosen is gone: it was removed a moment ago")
	case choice.Label == "":
		return c.withoutAccount(i.Caller, settings)
	}
	return c.withAccount(r, &i, choice.Label, &settings, kind)
}

// withoutAccount lets the real codex run as if swop were not there.
func (c *Call) withoutAccount(caller Caller, settings config.Settings) (Decision, error) {
	program, g, err := c.program(caller, &settings, "")
	if err != nil {
		return Decision{}, err
	}
	return Decision{Program: program, Env: caller.Env.With(GuardVariable, g.String()), Settings: settings}, nil
}

// withAccount lets the real codex run under the account that the label names.
func (c *Call) withAccount(r Reader, i *Invocation, label string, settings *config.Settings, kind kind) (Decision, error) {
	key, err := config.Key(label)
	if err != nil {
		return Decision{}, err
	}
	program, g, err := c.program(i.Caller, settings, key)
	if err != nil {
		return Decision{}, err
	}
	i.Found = c.Handover == HandoverFound
	prepared, err := r.Prepare(i, label, settings)
	if err != nil {
		return Decision{}, err
	}
	switch kind {
	case changesLogin:
		err = r.StopServer(i, &prepared)
	case ordinary:
		err = r.CheckConfig(&prepared, c.codexCall(&prepared))
	}
	if err != nil {
		prepared.Lock.Release()
		return Decision{}, err
	}
	return Decision{Program: program, Env: i.environment(&prepared, &g), Settings: *settings, Lock: prepared.Lock}, nil
}

// codexCall returns what of this call decides which configuration codex reads.
func (c *Call) codexCall(p *Prepared) account.CodexCall {
	call := codexCall(c.Args, c.workingDir())
	call.Shared = p.Root.SharedHome.Path
	return call
}

// workingDir is "" where the directory was removed, which is codex's to complain about: it has no configuration above it either.
func (c *Call) workingDir() string {
	if c.dir == "" {
		c.dir, _ = getwd()
	}
	return c.dir
}
