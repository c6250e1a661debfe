package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/confine"
	"swop/confine/desk"
	"swop/say"
	"swop/shim"
)

// confine is the companion that lets a session run confined. Where that cannot be had, the session does not run, unless the policy's fallback
// says so.
func (r *reader) confine(s *Supervised) (end func() error, err error) {
	request, err := s.confinement(&r.call)
	request.Now = r.hooks.Now
	if s.bridges != nil {
		request.Bridges = s.bridges
	}
	if err != nil {
		return nil, err
	}
	session := confine.NewSession(request)
	stopped := make(chan error)
	go func() { stopped <- r.hooks.StopServer(s.Prepared.Meta.Label) }() // who reaches it is served unconfined
	s.early = launchEarly(session)
	err = session.Prepare()
	r.noteConfinement(request, err)
	line := func(text string) { say.Line(r.call.Stderr, "%s", text) }
	end = func() error {
		err := session.End(line, r.hooks.Now())
		s.early.cancel()
		return err
	}
	if err := <-stopped; err != nil {
		return nil, errors.Join(err, end())
	}
	var unavailable *confine.Unavailable
	switch {
	case errors.As(err, &unavailable) && request.Policy.Fallback == config.FallbackPassthrough:
		say.Line(r.call.Stderr, "running UNCONFINED, as fallback = %q says: %v", config.FallbackPassthrough, err)
		session.GoWithout(err)
		s.early.cancel()
		s.early = nil
		return end, nil
	case err != nil:
		return nil, errors.Join(refusal(err), end())
	}
	s.Env = session.Env(s.Env)
	s.confined, s.ignored = session, ignoredNow() // before a start ignores more
	return end, nil
}

// noteConfinement logs how a session starts. A log that cannot be written stops no session.
func (r *reader) noteConfinement(request confine.Request, err error) {
	e := confine.Event{Time: r.call.Now.UTC(), Kind: confine.Started, Account: request.Key, Policy: request.Policy.Mode, Dir: request.Dir}
	if err != nil {
		var unavailable *confine.Unavailable
		e.Kind, e.Reason = confine.Refused, err.Error()
		if errors.As(err, &unavailable) && request.Policy.Fallback == config.FallbackPassthrough {
			e.Kind = confine.FellBack
		}
	}
	_ = confine.Note(request.Places.Root, e)
}

// refusal is err with what a person can do about it.
func refusal(err error) error {
	var violation *confine.Violation
	if errors.As(err, &violation) && violation.What == "the workspace" {
		return say.WithHint(err, "cd to the directory of a project")
	}
	return say.WithHint(err, "run it once without: "+shim.PolicyVariable+"="+config.ConfineOff+" codex")
}

// confinement returns what a confined session of this run is made for.
func (s *Supervised) confinement(c *shim.Call) (r confine.Request, err error) {
	p, places := s.Prepared, s.Invocation.Places
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return r, say.WithHint(fmt.Errorf("the working directory cannot be told: %w", err), "cd to a directory that exists")
	}
	shimPath, err := c.Executable()
	if err != nil {
		return r, err
	}
	programs := filepath.Dir(shimPath)
	return confine.Request{
		Account: p.Account, Root: p.Root, Places: places, Settings: s.Settings,
		Policy: confine.New(p.Policy, s.Settings.ConfinementOf(p.Key), places.Home),
		Dir:    dir, Env: s.Env, Codex: nativeOf(s.Program, s.Env, s.Settings), Programs: []string{programs}, Helper: filepath.Join(programs, "codex-swop"),
		Visible: s.Visible, Hidden: s.Hidden, AuthFile: s.Login, Outside: c.Env, Asked: func(q desk.Question) { sayAsked(c.Stderr, q) },
	}, nil
}

// tries is how often a start is tried: what the session sees is mounted by name, and another program may have removed some of it meanwhile.
const tries = 3

// sayAsked tells the user of a question where that spoils no full-screen program. It is not answered there: what runs inside writes to the same
// terminal, and could change what the user reads.
func sayAsked(stderr io.Writer, q desk.Question) {
	if isScreen(2) {
		return
	}
	say.Line(stderr, "the confined session asks to %s", q.Text())
	say.Line(stderr, "hint: answer in another terminal: codex swop approvals")
}

// isScreen reports whether the descriptor is a terminal that some program reads key by key.
func isScreen(fd int) bool {
	mode, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil && mode.Lflag&unix.ICANON == 0
}

// ignoredNow lists the signals that the caller had ignored, for the helper.
func ignoredNow() string {
	var numbers []string
	for _, s := range passedOn {
		if sig, ok := s.(syscall.Signal); ok && signal.Ignored(s) {
			numbers = append(numbers, fmt.Sprint(int(sig)))
		}
	}
	return strings.Join(numbers, ",")
}

// CheckConfinement returns the program that would make the sandbox of a session of codex, or a [*confine.Unavailable] error. It may leave a note
// that all is well, so that the next session need not try.
func CheckConfinement(i shim.Invocation, codex shim.Program, settings config.Settings) (string, error) {
	return confine.Check(i.Places, i.Env, nativeOf(codex, i.Env, settings))
}
