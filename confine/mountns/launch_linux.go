package mountns

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/session/supervise"
)

// Launch is one start of [Run]: what the supervisor keeps of it.
type Launch struct {
	First  supervise.Child // the process, once it is forked
	Helper *os.File        // the socket to the helper
	forked chan error
	input  *input // nil where it has the caller's own
}

// Begin starts the program as the process, in our process group: it needs its time before it needs a plan. control is its end of the socket.
func Begin(program string, env []string, control *os.File) (*Launch, error) {
	ours, theirs, err := SocketPair()
	if err != nil {
		return nil, err
	}
	l := &Launch{Helper: ours, forked: make(chan error, 1)}
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil { // the caller's
		return nil, os.NewSyscallError("close_range", err)
	}
	in, stdin, err := newInput(0)
	if err != nil {
		return nil, err
	}
	l.input = in
	go l.fork(program, env, stdin, theirs, control)
	return l, nil
}

// fork starts the process, and keeps the thread that it dies with.
func (l *Launch) fork(program string, env []string, stdin int, status, control *os.File) {
	runtime.LockOSThread()
	files := []uintptr{uintptr(stdin), 1, 2, Status: status.Fd(), ControlSocket: control.Fd()}
	var err error
	l.First, err = startBelow(program, []string{Name}, &syscall.ProcAttr{Env: env, Files: files, Sys: Namespaces()})
	_, _ = status.Close(), control.Close() // nothing was written
	if l.input != nil {
		_ = unix.Close(stdin) // likewise
	}
	l.forked <- err
	select {}
}

// Forked waits until the process is started.
func (l *Launch) Forked() error { return <-l.forked }

// SocketPair returns a pair of sockets: ours, where closing ends a wait, and one for another process.
func SocketPair() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(pair[0], true)
	}
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs"), nil
}
