package session

import (
	"errors"
	"io"
	"runtime"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/account/store"
	"swop/internal/bridge/chatgpt"
	"swop/internal/confine"
	"swop/internal/say"
	"swop/internal/session/launcher"
	"swop/internal/session/supervise"
	"swop/shim"
)

// running is a call on the slow path: the program, and the steps before and after it.
type running struct {
	*shim.Decision
	program string // runs in codex's place, or is [Codex]
	call    *shim.Call
	shim    string // the path of this codex

	bridged  bool // the session gets bridges of its own
	confined bool
	apart    bool // codex logs in or out in a home beside the account's

	visible  []string // the directory of the bridges
	ports    []int    // of the bridges
	authFile []byte   // the stand-in for a bridged login, nil for the login itself

	start func(path string, args, env []string) (supervise.Child, error) // starts the program
	ends  []func() error                                                 // the steps after its end, the last one first
}

// Codex stands for codex where a program is named.
const Codex = ""

// RunProgram runs the program at path, or [Codex], with the arguments, policy and bridges of d: in this process's place, or as its
// child, whose status it returns: see [supervise.Run]. A failure after the child's end is printed, and changes no status.
func RunProgram(c shim.Call, d *shim.Decision, path string) (int, error) {
	if path == Codex {
		launcher.Note(d, c.Stderr)
		if l, ok := d.Program.Launcher(); ok && d.Settings.Launch == config.LaunchNative {
			_, _ = launcher.Ask(l, d.Invocation.Places, d.Env, false) // doctor says why it cannot be asked
		}
	}
	inherits := inheritBridges(d, path == Codex)
	r := &running{Decision: d, program: path, call: &c, apart: d.ChangesLogin && d.Prepared.Meta.Confine != ""}
	if d.ChangesLogin && !r.apart && shim.LogsIn(d.Args) {
		uses, err := login.UsesKeyring(d.Prepared.CodexHome())
		if err != nil {
			return 0, err
		}
		r.apart = !uses // a login in the keyring is codex's alone
	}
	r.bridged = d.Prepared.Key != "" && d.Settings.HasBridge(d.Prepared.Key) && !d.ChangesLogin && !inherits
	r.confined = d.Prepared.Policy != "" && !d.ChangesLogin
	carryHookTrust(d, c.Stderr)
	stays := r.bridged || r.confined || r.apart || d.Prepared.Meta.Unfinished || runtime.GOOS == "windows" // which has no exec
	if path == Codex && !stays {
		return 0, d.Start(shim.Exec)
	}
	if d.Prepared.Meta.Confine == "" && !d.ChangesLogin {
		r.atEnd(r.share)
	}
	return r.run()
}

// run runs the program as a child of this process.
func (r *running) run() (status int, err error) {
	r.start = supervise.Start
	if r.shim, err = r.call.Executable(); err == nil {
		err = r.prepare()
	}
	if err == nil {
		status, err = supervise.Run(r.startProgram, r.end)
	}
	if err != nil {
		r.end()
	}
	if of, ok := errors.AsType[*confine.Unavailable](err); ok { // without the words that codex could not be run
		err = say.WithHint(of, of.Command)
	}
	return status, err
}

// prepare takes the steps before the program. Their order: the login moves first, and the scene shows the open bridges.
func (r *running) prepare() (err error) {
	acct := r.Prepared.Account
	placed := keepsLogin(&r.Settings, acct.Key) == (chatgpt.AskedHome(acct) == acct.BesideHome())
	if acct.Meta.Confine != "" && !placed && (!r.apart || shim.LogsIn(r.Args)) { // a new login goes where it belongs, too
		err = placeLogin(acct, keepsLogin(&r.Settings, acct.Key))
	}
	if err == nil && !r.apart { // the login may have been on its way
		err = CheckLogin(&r.Settings, acct, r.Prepared.Root.SharedHome.Path)
	}
	switch {
	case err != nil:
	case r.apart:
		return r.changeApart()
	case r.bridged:
		err = r.openBridges()
	}
	if err != nil || !r.confined {
		return err
	}
	err = r.confine()
	of, unavailable := errors.AsType[*confine.Unavailable](err)
	if unavailable && !of.Shortage && r.Settings.ConfinementOf(r.Prepared.Key).Fallback == config.FallbackPassthrough {
		say.Line(r.call.Stderr, "codex runs UNCONFINED, which fallback = %q in config.toml allows: %v", config.FallbackPassthrough, err)
		return nil
	}
	return err
}

func (r *running) atEnd(do func() error) { r.ends = append(r.ends, do) }

// end takes the steps after the program.
func (r *running) end() {
	for _, end := range slices.Backward(r.ends) {
		if err := end(); err != nil {
			say.Error(r.call.Stderr, err)
		}
	}
}

// startProgram starts the program, or codex.
func (r *running) startProgram() (c supervise.Child, err error) {
	if r.program != Codex {
		return r.start(r.program, r.Args, r.Env)
	}
	err = r.Start(func(path string, args []string, env config.Env) (err error) {
		c, err = r.start(path, args, env)
		return err
	})
	return c, err
}

// share leaves the account, and shares the entries that sessions made, if no other one runs.
func (r *running) share() error {
	r.Prepared.Lock.Release()
	accounts, reader := store.Store{Layout: account.Layout{Places: r.Invocation.Places}}, &Reader{Stderr: r.call.Stderr}
	return reader.Homes(accounts, r.Prepared.Root, r.Settings).SweepPending("")
}

// WarnOfTwin prints a warning where another account has the login of this one.
func WarnOfTwin(stderr io.Writer, s store.Store, acct account.Account) {
	all, _ := s.Accounts() // those that cannot be read are compared by doctor once they can be
	if other := login.Twin(all, acct); other != "" {
		text := "%q has the login of %q"
		if login.IdentityOf(acct) != (login.Identity{}) { // an API key comes from no browser
			text += "; to log in as somebody else use a private window of the browser"
		}
		say.Line(stderr, text, acct.Meta.Label, other)
		say.Line(stderr, "hint: codex swop login %s", say.ShellQuote(acct.Meta.Label))
	}
}
