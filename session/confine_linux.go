package session

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/config"
	"swop/confine"
	"swop/confine/desk"
	"swop/confine/peer"
	"swop/confine/preflight"
	"swop/say"
	"swop/session/supervise"
	"swop/shim"
)

// confine lets the program start confined. Where that cannot be had it does not run, unless the policy's fallback says so.
func (r *running) confine() error {
	request, err := r.confinement()
	if err != nil {
		return err
	}
	request.Ready = sync.OnceValue(func() error { return r.hooks.StopServer(r.Prepared.Meta.Label) }) // it would serve the session unconfined
	go request.Ready()                                                                                // it takes as long as the rest
	inside, err := confine.Prepare(request)
	var unavailable *preflight.Unavailable
	fellBack := errors.As(err, &unavailable) && request.Policy.Fallback == config.FallbackPassthrough
	r.noteConfinement(request, err, fellBack)
	switch {
	case fellBack:
		say.Line(r.call.Stderr, "running UNCONFINED, as fallback = %q says: %v", config.FallbackPassthrough, err)
		return request.Ready()
	case err != nil:
		return refusal(err)
	}
	r.atEnd(inside.End)
	r.Env = inside.Env(r.Env)
	r.withoutServer()
	r.start = func(path string, args, env []string) (supervise.Child, error) {
		c, err := inside.Start(path, args, env)
		if r.refused = request.Ready(); r.refused == nil && errors.As(err, &unavailable) {
			r.refused = refusal(err)
		}
		return c, cmp.Or(r.refused, err)
	}
	return nil
}

// noteConfinement logs how a session starts. A log that cannot be written stops no session.
func (r *running) noteConfinement(request confine.Request, err error, fellBack bool) {
	e := confine.Event{Time: r.call.Now.UTC(), Kind: confine.Started, Account: request.Key, Policy: request.Policy.Mode, Dir: request.Dir}
	switch {
	case fellBack:
		e.Kind, e.Reason = confine.FellBack, err.Error()
	case err != nil:
		e.Kind, e.Reason = confine.Refused, err.Error()
	}
	_ = confine.Note(request.Places.Root, e)
}

// refusal is err with what a person can do about it.
func refusal(err error) error {
	var violation *confine.Violation
	if errors.As(err, &violation) && violation.What == "the workspace" {
		return say.WithHint(err, "cd to the directory of a project")
	}
	unavailable, ok := errors.AsType[*preflight.Unavailable](err)
	if !ok {
		return err // a session may have caused it: no reason to run the next one unconfined
	}
	if unavailable.Command != "" {
		err = say.WithHint(err, unavailable.Command)
	}
	return say.WithHint(err, "run it once without: "+shim.PolicyVariable+"="+config.ConfineOff+" codex")
}

// confinement returns what the confined session is made for.
func (r *running) confinement() (q confine.Request, err error) {
	p, places := r.Prepared, r.Invocation.Places
	dir, err := r.Invocation.WorkDir()
	if err != nil {
		return q, err
	}
	start, err := unix.Getwd()
	if err != nil { // it was removed, and another one is named
		start = dir
	}
	shimPath, err := r.call.Executable()
	if err != nil {
		return q, err
	}
	programs, visible := filepath.Dir(shimPath), r.visible
	var selector config.Selector
	if err := ReadSelector(&places, &selector); err != nil {
		return q, err
	}
	var bound []string
	for _, b := range selector.Directory {
		bound = append(bound, b.Path)
	}
	return confine.Request{
		Account: p.Account, Root: p.Root, Places: places, Settings: r.Settings,
		Policy: confine.New(p.Policy, r.Settings.ConfinementOf(p.Key), places.Home),
		Dir:    dir, Start: start, Env: r.Env, Codex: nativeOf(r.Program, places, r.Env, r.Settings), Programs: []string{programs}, Helper: filepath.Join(programs, "codex-swop"),
		Visible: visible, Hidden: r.hidden, Bound: bound, AuthFile: r.login, Bridges: r.bridges, Outside: r.call.Env, Now: r.hooks.Now,
		Asked: func(q desk.Question) { sayAsked(r.call.Stderr, q) },
		Tell:  func(text string) { say.Line(r.call.Stderr, "%s", text) }, Screen: isScreen,
	}, nil
}

// sayAsked tells the user of a question where that spoils no full-screen program. It is not answered there: what runs inside writes to the same
// terminal, and could change what the user reads.
func sayAsked(stderr io.Writer, q desk.Question) {
	if isScreen() {
		return
	}
	say.Line(stderr, "the confined session asks to %s", q.Text())
	say.Line(stderr, "hint: answer in another terminal: codex swop approvals")
}

// isScreen reports whether stderr is a terminal that some program reads key by key.
func isScreen() bool {
	mode, err := unix.IoctlGetTermios(2, unix.TCGETS)
	return err == nil && mode.Lflag&unix.ICANON == 0
}

// BringBack brings back what confined sessions of the account have recorded so far, and ends those that were killed.
func BringBack(i shim.Invocation, acct account.Account, settings config.Settings, now func() time.Time, tell func(string)) error {
	return confine.CatchUp(confine.Request{Account: acct, Root: i.Root, Places: i.Places, Settings: settings, Now: now, Tell: tell})
}

// KeepsSignals says what keeps the signals of a confined session inside.
func KeepsSignals() string { return peer.Signals() }

// CheckConfinement returns the program that would make the sandbox of a session, or a [*preflight.Unavailable] error. It may leave a note that all is
// well, so that the next session need not try.
func CheckConfinement(places config.Places) (string, error) {
	return "codex-swop", confine.Check(places)
}
