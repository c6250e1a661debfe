// Package shim, swop's own, is a call of codex: it chooses the account, checks that its sandbox is complete, finds the real codex and execs
// it. Every call pays for the packages that shim links: package session repairs and says what is needed.
package shim

import (
	"errors"
	"fmt"
	"io"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
)

// Call is one call of codex: what its process was given.
type Call struct {
	Args       []string
	Env        config.Env
	Executable func() (string, error) // the path of the shim
	Stderr     io.Writer
	Now        func() time.Time
	Above      func() ([]Ancestor, error) // the processes above this one, the parent first
}

// Handover is argv[0] of a codex-swop that goes on with a call of codex; the arguments of codex follow, codex's argv[0] first. A name that
// is no verb: nobody types it.
const Handover = "codex-swop: call"

// Run is a call of codex by the shim: the fast path where there is nothing to repair and nothing to say, else codex-swop in the same
// process. It returns the exit status only where no program could be started.
func Run(c *Call) int {
	if len(c.Args) > 1 && c.Args[1] == "swop" {
		return c.Fail(c.execSibling("codex-swop", c.Args[2:]...))
	}
	var d Decision
	c.Above = func() ([]Ancestor, error) { return nil, errSlow }
	if c.Decide(Fast(c.Now()), &d) == nil {
		if l, known := d.launch(); known {
			_ = d.start(l, Exec) // codex-swop tries again, and says why the program could not start
		}
		d.Prepared.Lock.Release()
	}
	return c.Fail(c.execSibling(Handover, c.Args...))
}

// RunWith is a call of codex on the slow path: it decides by the answers of r, and carries out the decision by run. It returns the exit
// status.
func (c Call) RunWith(r Reader, run func(*Decision) (int, error)) int {
	var d Decision
	err := c.Decide(r, &d)
	if err == nil {
		var status int
		if status, err = run(&d); err == nil {
			return status
		}
	}
	return c.Fail(err)
}

// Fail says why the real codex did not start, and returns the exit status.
func (c *Call) Fail(err error) int {
	status := status(err)
	if status != statusQuit {
		say.Error(c.Stderr, err)
	}
	return status
}

// Reader answers the questions of a call about files and processes. There are two readers: the fast one answers only where there is nothing
// to repair and nothing to say, and fails otherwise; the other is in package session. [Call.Decide] has the order of the questions.
type Reader interface {
	// Look finds out who calls, without the variables that a session has set, and where swop's files are.
	Look(config.Env) (Invocation, error)
	// Pick takes an account from the pool of the choice, for this directory.
	Pick(*Invocation, *config.Settings, *Choice) error
	// Prepare opens the account with the label, completes its sandbox, takes its lock for a session, and finds its policy. p.Policy is the
	// policy that the call asks for, until Prepare sets it.
	Prepare(i *Invocation, label string, s *config.Settings, p *Prepared) error
	// StopServer stops the account's background server, which would go on with the old login.
	StopServer(*Invocation, *Prepared) error
	// CheckConfig fails where codex's configuration would cost the account its login.
	CheckConfig(*Prepared, *account.CodexCall) error
}

// Decision is the program that a call execs, with the answers that led to it.
type Decision struct {
	Invocation Invocation
	Settings   config.Settings
	Prepared   Prepared // its lock is held for a session; the zero value without an account
	Program    Program
	Args       []string
	Env        config.Env

	// ChangesLogin says that codex logs in or out: nothing runs beside it.
	ChangesLogin bool

	guard  guard
	choice Choice
	dir    string // where it runs, "" for the caller's
}

// Decide fills in d, the zero value, by the questions of a call, in their order. Exemptions are in [kindOf].
func (c *Call) Decide(r Reader, d *Decision) error {
	if len(c.Args) == 0 {
		return errors.New("the caller started codex with an empty argv")
	}
	d.Args = c.Args
	var err error
	d.Invocation, err = r.Look(c.Env)
	switch {
	case c.Env.Value("SWOP_BYPASS") == "1" && !errors.Is(err, errSlow): // whatever is wrong with swop's files
		return c.withoutAccount(d)
	case err != nil:
		return err
	}
	d.Invocation.SetDir(c.Args)
	if d.Settings, err = config.ReadSettings(d.Invocation.Places); err != nil {
		return d.Invocation.blame(err)
	}
	kind := kindOf(c.Args)
	if kind == updates {
		d.Settings.Launch = config.LaunchAsInstalled
		if err = c.withoutAccount(d); err == nil {
			c.updateOwn(d)
		}
		return err
	}
	if d.Prepared.Policy, err = d.Invocation.asked(); err != nil {
		return err
	}
	if d.choice, err = d.Invocation.Choose(); err != nil {
		return err
	}
	d.Invocation.Found = d.Invocation.Found || d.choice.Why == ByBinding // bind has seen the account, which may be confined
	switch {
	case d.choice.IsNone():
		return c.chooseNone(d)
	case d.choice.Pool != "" && kind == changesLogin:
		verb, _ := subcommand(c.Args)
		return say.WithHint(fmt.Errorf("this directory uses the pool %q; name the account", d.choice.Pool), "codex swop "+verb+" LABEL")
	case d.choice.Pool != "":
		if err := r.Pick(&d.Invocation, &d.Settings, &d.choice); err != nil {
			return err
		}
		d.Invocation.Found = true
	}
	return c.withAccount(r, d, kind)
}

// chooseNone is for a call for which no account is chosen.
func (c *Call) chooseNone(d *Decision) error {
	policy := d.Prepared.Policy
	if d.Prepared.Policy = ""; policy != "" && policy != config.ConfineOff {
		err := fmt.Errorf("%s is %q, but only sessions of an account can be confined, and no account is chosen here", PolicyVariable, policy)
		return say.WithHint(err, "codex swop add LABEL --confine "+policy)
	}
	return c.withoutAccount(d)
}

// withoutAccount lets the real codex run as if swop were not there.
func (c *Call) withoutAccount(d *Decision) error {
	err := c.findProgram(d)
	if err == nil {
		d.Env = d.Invocation.Env.With(GuardVariable, d.guard.String())
	}
	return err
}

// withAccount lets the real codex run under the account that was chosen.
func (c *Call) withAccount(r Reader, d *Decision, kind kind) (err error) {
	d.ChangesLogin = kind == changesLogin
	if err := c.findProgram(d); err != nil {
		return err
	}
	if err := r.Prepare(&d.Invocation, d.choice.Label, &d.Settings, &d.Prepared); err != nil {
		return err
	}
	switch kind {
	case changesLogin:
		err = r.StopServer(&d.Invocation, &d.Prepared)
	case ordinary:
		err = c.checkConfig(r, d)
	}
	if err != nil {
		d.Prepared.Lock.Release()
		return err
	}
	d.Env = d.Invocation.Environment(d.Prepared).With(GuardVariable, d.guard.String())
	return nil
}

// checkConfig asks the reader whether the configuration that codex reads, by its arguments and directory, would cost the account its login.
func (c *Call) checkConfig(r Reader, d *Decision) error {
	call := codexCall(c.Args)
	call.Dir, _ = d.Invocation.WorkDir() // a removed directory has no configuration above it
	if config.Within(call.Dir, disk.Resolve(d.Invocation.Places.Root)) && !config.Within(call.Dir, disk.Resolve(d.Prepared.Home())) {
		return disk.Unsafe("%s: is in swop's own directory, where codex does not work", say.Name(call.Dir))
	}
	call.Shared = d.Prepared.Root.SharedHome.Path
	return r.CheckConfig(&d.Prepared, &call)
}
