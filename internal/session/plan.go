package session

import (
	"cmp"
	"io"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/home"
	"swop/internal/say"
	"swop/internal/session/supervise"
	"swop/shim"
)

// plan is what a call comes to on the slow path: what runs, and what is done beside it.
type plan struct {
	*shim.Decision
	program string // runs in codex's place; "" for codex

	child    bool // it runs as a child of this process, and not in its place
	shares   bool // what it made is shared when it has ended
	bridged  bool // the session gets bridges of its own
	confined bool
	apart    bool // codex logs in or out in a home beside the account's
}

// planFor returns the plan for what was decided.
func planFor(d *shim.Decision, program string) plan {
	p := plan{Decision: d, program: program, bridged: needsBridges(d), confined: d.Prepared.Policy != "" && !d.ChangesLogin}
	p.apart = program == "" && changesApart(d)
	p.child = staysParent || program != "" || p.bridged || p.confined || p.apart
	p.shares = p.child && d.Prepared.Meta.Confine == ""
	return p
}

// changesApart reports whether a login is changed in a home beside the account's. A login in the keyring is codex's alone.
func changesApart(d *shim.Decision) bool {
	if d.Prepared.Meta.Confine != "" {
		return shim.ChangesLogin(d.Args)
	}
	return d.Prepared.Key != "" && shim.LogsIn(d.Args) && !login.UsesKeyring(d.Prepared.Root.SharedHome.Path)
}

// needsBridges reports whether bridges are to be opened for what was decided.
func needsBridges(d *shim.Decision) bool {
	bridged := d.Prepared.Key != "" && (d.Settings.HasBridge(d.Prepared.Key) || len(d.Prepared.Bridges) > 0)
	return bridged && !d.ChangesLogin && !usesOuter(d)
}

// running is a plan that is carried out.
type running struct {
	plan
	call  *shim.Call
	hooks Hooks

	visible []string       // what the program needs to see if it is confined, beside the account's homes and swop's programs
	hidden  []string       // what it must not see then
	login   []byte         // the auth.json that it has in the place of the account's, nil for that
	bridges *bridgeSession // nil for none

	start   func(path string, args, env []string) (supervise.Child, error) // starts the program
	refused error                                                          // why nothing may run, found out while it starts
	ends    []func() error                                                 // what is to be done when it has ended, the last one first
}

// run carries out a plan: the program runs in this process's place, or as its child, whose exit status run returns. A failure after the
// child has ended is printed, and changes no status.
func (p plan) run(c *shim.Call, h Hooks) (int, error) {
	p.carryHookTrust(c)
	if !p.child {
		return 0, p.Start(shim.Exec)
	}
	r := &running{plan: p, call: c, hooks: h, start: supervise.Start}
	err := r.prepare()
	status := 0
	if err == nil {
		status, err = supervise.Run(r.startProgram, r.end)
	}
	if err != nil {
		r.end()
		err = cmp.Or(r.refused, err) // and not that the program could not be run
	}
	return status, err
}

// prepare does what comes before the program, in this order: the sandbox shows the bridges, and has the account's login or a bridge's.
func (r *running) prepare() error {
	if r.shares {
		r.atEnd(r.share)
	}
	if r.apart {
		return r.changeApart()
	}
	if r.Prepared.Meta.Confine != "" {
		if err := placeLogin(r.Prepared.Account, r.bridged && keepsLogin(BridgesOf(r.Settings, r.Prepared.Account))); err != nil {
			return err
		}
	}
	if r.bridged {
		if err := r.openBridges(); err != nil {
			return err
		}
	}
	if r.confined {
		return r.confine()
	}
	return nil
}

func (r *running) atEnd(do func() error) { r.ends = append(r.ends, do) }

// end does what comes after the program.
func (r *running) end() {
	for _, end := range slices.Backward(r.ends) {
		if err := end(); err != nil {
			say.Error(r.call.Stderr, err)
		}
	}
}

// startProgram starts what the plan names.
func (r *running) startProgram() (c supervise.Child, err error) {
	if r.program != "" {
		return r.start(r.program, r.Args, r.Env)
	}
	err = r.Start(func(path string, args []string, env config.Env) (err error) {
		c, err = r.start(path, args, env)
		return err
	})
	return c, err
}

// share shares what was made when all has ended, and the account is left.
func (r *running) share() error {
	r.Prepared.Lock.Release()
	o := PrepareOptions{Stderr: r.call.Stderr}
	accounts := store.Store{Layout: account.Layout{Places: r.Invocation.Places}}
	_, err := home.SweepPending(accounts, "", r.Prepared.Root, r.Settings, Checks(accounts.Layout, o.Say), o.Say)
	return err
}

// WarnOfTwin says so if another account has the login of this one.
func WarnOfTwin(stderr io.Writer, s store.Store, acct account.Account) {
	all, _ := s.Accounts() // those that cannot be read are compared by doctor once they can be
	others := slices.DeleteFunc(all, func(a account.Account) bool { return a.Key == acct.Key })
	if text := login.TwinTexts(append(others, acct))[acct.Key]; text != "" {
		say.Line(stderr, "%s", text)
		say.Line(stderr, "hint: codex swop login %s", say.ShellQuote(acct.Meta.Label))
	}
}

// RunLogin runs the codex at path as d.Args say, a login or the logout of the account that d has prepared. It returns the exit status.
func RunLogin(d *shim.Decision, path string, stderr io.Writer) (int, error) {
	p := plan{Decision: d, program: path, child: true, apart: changesApart(d)}
	return p.run(&shim.Call{Stderr: stderr}, Hooks{})
}

// RunProgram runs the program at path, with the arguments that d has, in codex's place, with what runs beside a session of d, and shares
// what it made. It returns the exit status.
func RunProgram(c shim.Call, h Hooks, d *shim.Decision, path string) (int, error) {
	inheritBridges(d, path == "")
	return planFor(d, path).run(&c, h)
}

// withoutServer keeps codex, if that is what runs, from starting a server that outlives the session, as it does since 0.158. Earlier
// releases ignore it.
func (r *running) withoutServer() {
	if r.program == "" {
		r.Args = slices.Concat(r.Args[:1], []string{"-c", "features.daemon_auto_start=false"}, r.Args[1:])
	}
}

// nativeOf returns the program that a call of codex ends in.
func nativeOf(codex shim.Program, places config.Places, env config.Env, settings config.Settings) string {
	if native := codex.Native(places, env, settings); native != "" {
		return native
	}
	return codex.Path
}
