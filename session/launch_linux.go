package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/confine"
	"swop/confine/desk"
	"swop/confine/mountns"
)

// launch is a try to start a program inside.
type launch struct {
	command confine.Command
	ours    *os.File // the socket to the helper
	theirs  *os.File

	started chan error    // says whether the process could be started; nil before that is tried
	ended   chan struct{} // is closed when it has ended
	status  syscall.WaitStatus
	err     error
}

// newLaunch opens what a program is started with.
func newLaunch(s *confine.Session) (*launch, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	l := &launch{ours: os.NewFile(uintptr(pair[0]), "helper"), theirs: os.NewFile(uintptr(pair[1]), "helper"), ended: make(chan struct{})}
	if l.command, err = s.Open(l.theirs); err != nil {
		l.close()
		return nil, errors.Join(err, l.ours.Close())
	}
	return l, nil
}

// launchEarly starts the process between the supervisor and bubblewrap, which waits for its plan while the session is prepared. It returns nil
// where that fails: the start itself says why.
func launchEarly(s *confine.Session) *launch {
	l, err := newLaunch(s)
	if err != nil {
		return nil
	}
	l.start(nil)
	return l
}

// close closes what the process has got.
func (l *launch) close() {
	l.command.Close()
	_ = l.theirs.Close() // nothing was written
}

// cancel waits for the end of a process that was started early, and not needed, when its session has ended.
func (l *launch) cancel() {
	if l == nil {
		return
	}
	if err := <-l.started; err == nil {
		<-l.ended
	}
	l.close()
	_ = l.ours.Close() // nothing was sent
}

// start starts the process, in our process group. It dies with the thread that starts it, which does nothing else.
func (l *launch) start(env config.Env) {
	l.started = make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		pid, err := startBubblewrap(l.command, env)
		l.started <- err
		if err != nil {
			return
		}
		for child := childOf(pid); ; {
			if l.status, l.err = child.Wait(); l.err != nil || !l.status.Stopped() {
				close(l.ended)
				return
			}
		}
	}()
}

// startBubblewrap starts it. No other descriptor than those of the command is left open in it.
func startBubblewrap(c confine.Command, env config.Env) (pid int, err error) {
	files := []uintptr{0, 1, c.Messages.Fd()}
	for _, file := range c.Files {
		files = append(files, file.Fd())
	}
	files = append(files, 2)
	attr := dyingWithParent()
	if c.Control != nil { // it sees to the descriptors itself: others may run unconfined, and have them
		files = append(files, c.Control.Fd(), c.Plan.Fd())
		c.Attributes(attr)
	} else if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 0, os.NewSyscallError("close_range", err)
	}
	pid, err = forkReadable(c.Path, c.Args, &syscall.ProcAttr{Env: env, Files: files, Sys: attr})
	if err == nil {
		return pid, nil
	}
	err = &os.PathError{Op: "run", Path: c.Path, Err: err}
	if c.Control != nil {
		err = fmt.Errorf("%w: %w", desk.ErrNotLive, err)
	}
	return 0, err
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

// RunMiddle is the process of [mountns.Run]. The keys of the terminal end neither it nor bubblewrap.
func RunMiddle() int {
	signal.Ignore(passedOn...)
	return mountns.Run()
}

// startConfined starts the program inside, through bubblewrap and the helper.
func (s *Supervised) startConfined(path string, args []string, env config.Env) (c Child, err error) {
	network := ""
	if s.confined.Proxied() {
		network = proxied
	}
	helper := append([]string{s.ignored, network, path}, args...)
	for try := 1; ; try++ {
		c, err = s.tryConfined(helper, path, env)
		if errors.Is(err, desk.ErrNotLive) {
			s.confined.GoWithout(err)
			c, err = s.tryConfined(helper, path, env)
		}
		var unavailable *confine.Unavailable
		if !errors.As(err, &unavailable) {
			return c, err
		}
		if try == tries {
			return c, refusal(err)
		}
		if err := s.confined.LookAgain(); err != nil {
			return c, err
		}
	}
}

// tryConfined starts bubblewrap, and in it the helper, which reports over a socket: first that the program at path runs, or why not, as an
// errno; then each change of it, as wait(2) has it. What is written to it are signals for the program.
func (s *Supervised) tryConfined(helper []string, path string, env config.Env) (c Child, err error) {
	l := s.early
	s.early = nil
	if l != nil && !s.confined.IsLive() {
		l.cancel()
		l = nil
	}
	if l == nil {
		if l, err = newLaunch(s.confined); err != nil {
			return c, err
		}
	}
	defer l.close()
	if err := s.fly(l, helper, env); err != nil {
		return c, errors.Join(err, l.ours.Close())
	}
	var errno uint32
	if err := binary.Read(l.ours, binary.NativeEndian, &errno); err != nil {
		return c, errors.Join(l.notStarted(err), l.ours.Close())
	}
	if errno != 0 {
		<-l.ended // the helper has ended
		return c, errors.Join(&os.PathError{Op: "run", Path: path, Err: syscall.Errno(errno)}, l.ours.Close())
	}
	return l.child(), nil
}

// fly completes the command and lets it go, so that only the helper holds the other end of our socket.
func (s *Supervised) fly(l *launch, helper []string, env config.Env) error {
	if err := s.confined.Fill(&l.command, env, helper...); err != nil {
		return err
	}
	if l.started == nil {
		signal.Ignore(passedOn...) // the keys of the terminal do not end it
		l.start(env)
	}
	if err := <-l.started; err != nil {
		return err
	}
	_ = l.theirs.Close() // nothing was written
	if l.command.Control == nil {
		return nil
	}
	_ = l.command.Control.Close() // likewise
	err := s.confined.Enter()
	if err != nil {
		<-l.ended // it has ended, or is about to
	}
	return err
}

// child returns the program inside.
func (l *launch) child() Child {
	return Child{
		Signal: func(sig syscall.Signal) error { return binary.Write(l.ours, binary.NativeEndian, uint32(sig)) },
		Wait: func() (status syscall.WaitStatus, err error) {
			err = binary.Read(l.ours, binary.NativeEndian, &status)
			if err != nil || !status.Stopped() {
				<-l.ended // now all inside is dead
			}
			return status, err
		},
	}
}

// notStarted says how bubblewrap ended without having started the helper.
func (l *launch) notStarted(err error) error {
	<-l.ended
	switch {
	case l.err != nil || !errors.Is(err, io.EOF):
		return errors.Join(err, l.err)
	case l.status.Signaled():
		return l.command.Failure(fmt.Sprintf("it was ended by %v", l.status.Signal()))
	}
	return l.command.Failure(fmt.Sprintf("it ended with status %d", l.status.ExitStatus()))
}
