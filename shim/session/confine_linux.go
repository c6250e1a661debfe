package session

import (
	"encoding/binary"
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
	"swop/say"
	"swop/shim"
	"swop/shim/confine"
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
	if err := r.hooks.StopServer(s.Prepared.Meta.Label); err != nil { // who reaches it is served unconfined
		return nil, err
	}
	session, err := confine.Prepare(request)
	r.noteConfinement(request, err)
	line := func(text string) { say.Line(r.call.Stderr, "%s", text) }
	end = func() error { return session.End(line, r.hooks.Now()) }
	var unavailable *confine.Unavailable
	switch {
	case errors.As(err, &unavailable) && request.Policy.Fallback == config.FallbackPassthrough:
		say.Line(r.call.Stderr, "running UNCONFINED, as fallback = %q says: %v", config.FallbackPassthrough, err)
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
		Visible: s.Visible, Hidden: s.Hidden, AuthFile: s.Login, Outside: c.Env, Asked: func(q confine.Question) { sayAsked(c.Stderr, q) },
	}, nil
}

// tries is how often a start is tried: what the session sees is mounted by name, and another program may have removed some of it meanwhile.
const tries = 3

// sayAsked tells the user of a question where that spoils no full-screen program. It is not answered there: what runs inside writes to the same
// terminal, and could change what the user reads.
func sayAsked(stderr io.Writer, q confine.Question) {
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

// startConfined starts the program inside, through bubblewrap and the helper.
func startConfined(s *confine.Session, ignored, path string, args []string, env config.Env) (c Child, err error) {
	network := ""
	if s.Proxied() {
		network = proxied
	}
	helper := append([]string{ignored, network, path}, args...)
	for try := 1; ; try++ {
		c, err = tryConfined(s, helper, path, env)
		if errors.Is(err, confine.ErrNotLive) {
			s.GoWithout(err)
			c, err = tryConfined(s, helper, path, env)
		}
		var unavailable *confine.Unavailable
		if try == tries || !errors.As(err, &unavailable) {
			return c, err
		}
		if err := s.LookAgain(); err != nil {
			return c, err
		}
	}
}

// tryConfined starts bubblewrap, and in it the helper, which reports over a socket: first that the program at path runs, or why not, as an
// errno; then each change of it, as wait(2) has it. What is written to it are signals for the program.
func tryConfined(s *confine.Session, helper []string, path string, env config.Env) (Child, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return Child{}, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "helper"), os.NewFile(uintptr(pair[1]), "helper")
	defer theirs.Close()
	command, err := s.Open(theirs)
	if err == nil {
		err = s.Fill(&command, env, helper...)
	}
	if err != nil {
		command.Close()
		return Child{}, errors.Join(err, ours.Close())
	}
	defer command.Close()
	pid, err := startBubblewrap(command, env)
	if err != nil {
		return Child{}, errors.Join(err, ours.Close())
	}
	_ = theirs.Close() // so that reading ends when the helper does
	if command.Control != nil {
		_ = command.Control.Close() // likewise
		if err := s.Enter(); err != nil {
			_, _ = childOf(pid).Wait() // it has ended, or is about to
			return Child{}, errors.Join(err, ours.Close())
		}
	}
	var errno uint32
	if err := binary.Read(ours, binary.NativeEndian, &errno); err != nil {
		return Child{}, errors.Join(notStarted(command, pid, err), ours.Close())
	}
	if errno != 0 {
		_, _ = childOf(pid).Wait() // the helper has ended
		return Child{}, errors.Join(&os.PathError{Op: "run", Path: path, Err: syscall.Errno(errno)}, ours.Close())
	}
	return Child{
		Signal: func(sig syscall.Signal) error { return binary.Write(ours, binary.NativeEndian, uint32(sig)) },
		Wait: func() (status syscall.WaitStatus, err error) {
			err = binary.Read(ours, binary.NativeEndian, &status)
			if err != nil || !status.Stopped() {
				_, _ = childOf(pid).Wait() // now all inside is dead
			}
			return status, err
		},
	}, nil
}

// notStarted says how bubblewrap ended without having started the helper.
func notStarted(c confine.Command, pid int, err error) error {
	status, waitErr := childOf(pid).Wait()
	if waitErr != nil || !errors.Is(err, io.EOF) {
		return errors.Join(err, waitErr)
	}
	if status.Signaled() {
		return c.Failure(fmt.Sprintf("it was ended by %v", status.Signal()))
	}
	return c.Failure(fmt.Sprintf("it ended with status %d", status.ExitStatus()))
}

// startBubblewrap starts it in our process group, where the keys of the terminal do not end it. No other descriptor than those of the
// command is left open in it.
func startBubblewrap(c confine.Command, env config.Env) (pid int, err error) {
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 0, os.NewSyscallError("close_range", err)
	}
	files := []uintptr{0, 1, c.Messages.Fd()}
	for _, file := range c.Files {
		files = append(files, file.Fd())
	}
	files = append(files, 2)
	attr := dyingWithParent()
	if c.Control != nil {
		files = append(files, c.Control.Fd(), c.Plan.Fd())
		c.Attributes(attr)
	}
	signal.Ignore(passedOn...)
	pid, err = forkReadable(c.Path, c.Args, &syscall.ProcAttr{Env: env, Files: files, Sys: attr})
	err = wrapRun(c.Path, err)
	if err != nil && c.Control != nil {
		err = fmt.Errorf("%w: %w", confine.ErrNotLive, err)
	}
	return pid, err
}

func wrapRun(path string, err error) error {
	if err != nil {
		return &os.PathError{Op: "run", Path: path, Err: err}
	}
	return nil
}

// forkReadable starts a child whose namespaces this process sets up by the files of /proc: for those, it must not be hidden from its own user
// at that moment, as bridges want it.
func forkReadable(path string, args []string, attr *syscall.ProcAttr) (int, error) {
	was, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err == nil && was == 0 && attr.Sys.Cloneflags != 0 {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
			return 0, os.NewSyscallError("prctl", err)
		}
		defer func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }() // it may always be lowered
	}
	return syscall.ForkExec(path, args, attr)
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
