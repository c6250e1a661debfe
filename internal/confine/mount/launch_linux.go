package mount

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/internal/session/supervise"
)

// A confined start is a chain of processes: the supervisor starts the middle one, [Run], which starts the helper, which starts the program.
// These are their descriptors beside 0, which is the caller's or a pipe (see input), and 1 and 2, which are the caller's:
//
//	  descriptor                          middle       helper         program
//	3 the socket to the helper            passed on    closed last    -
//	4 the socket to the middle            closed last  -              -
//	4 the file of the program                          read           -
//
// The supervisor keeps one end of each socket, and closes the other ends once the middle process runs. So the end of a process shows at the
// supervisor's end of its socket. No process gets any other descriptor of the caller.
const (
	Status = 3 + iota
	ControlSocket
	programFile = ControlSocket
)

// Launch is the supervisor's part of a confined start.
type Launch struct {
	First  supervise.Child // the middle process, once forked is closed
	Helper *os.File        // the socket to the helper

	control control
	forked  chan struct{} // closed once the middle process is forked, or this has failed
	failed  error
	input   *input // nil where the session has the caller's own
	flags   [3]int // of the standard streams, which the caller shares: see fcntl(2)
}

// Begin starts the program as the middle process, in our process group. The process takes its time before it needs a plan.
func Begin(program string, env []string, ownNetwork bool) (*Launch, error) {
	helper, status, err1 := socketPair()
	ours, theirs, err2 := socketPair()
	err := errors.Join(err1, err2)
	if err != nil {
		return nil, err
	}
	l := &Launch{Helper: helper, forked: make(chan struct{})}
	if l.control, err = newControl(ours); err != nil {
		return nil, err
	}
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil { // the caller's
		return nil, os.NewSyscallError("close_range", err)
	}
	for fd := range l.flags {
		l.flags[fd], _ = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0) // one that is closed has none
	}
	var stdin int
	if l.input, stdin, err = newInput(0); err != nil {
		return nil, err
	}
	go l.fork(program, env, stdin, []*os.File{status, theirs}, ownNetwork)
	return l, nil
}

// fork starts the middle process in namespaces of its own, in which it may mount, and keeps the thread with which the process dies.
func (l *Launch) fork(program string, env []string, stdin int, theirs []*os.File, ownNetwork bool) {
	runtime.LockOSThread()
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWCGROUP)
	if ownNetwork {
		flags |= unix.CLONE_NEWNET
	}
	// CAP_SYS_RESOURCE is to limit the number of namespaces, and CAP_NET_ADMIN for the loopback.
	sys := namespaces(flags, unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SYS_RESOURCE, unix.CAP_NET_ADMIN)
	files := []uintptr{uintptr(stdin), 1, 2, Status: theirs[0].Fd(), ControlSocket: theirs[1].Fd()}
	var pid int
	pid, l.failed = startBelow(program, []string{Name}, &syscall.ProcAttr{Env: env, Files: files, Sys: sys})
	l.First = supervise.ChildOf(pid)
	for _, file := range theirs {
		_ = file.Close() // nothing was written
	}
	if l.input != nil {
		_ = unix.Close(stdin) // likewise
	}
	close(l.forked)
	select {}
}

// Make lets the middle process carry out a plan. It returns a listener for each port of the session's network.
func (l *Launch) Make(p Plan) (listeners []net.Listener, err error) {
	if <-l.forked; l.failed != nil {
		return nil, l.failed
	}
	reach, err := listen(p.Reach)
	if err != nil {
		return nil, fmt.Errorf("a port of the session cannot be opened on this machine: %w", err)
	}
	fds, err := l.control.ask(p, reach...)
	closeAll(reach) // the middle process has it
	if err != nil {
		return nil, err
	}
	return listenersOf(fds)
}

// Beside starts a program beside the session, with these streams. Its helper reports by conn, as the session's helper does to the
// supervisor.
func (l *Launch) Beside(p Plan, conn *net.UnixConn, streams []int) error {
	file, err := conn.File()
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = l.control.ask(p, append([]int{int(file.Fd())}, streams...)...)
	return err
}

// Signal sends a signal to all processes inside.
func (l *Launch) Signal(sig syscall.Signal) {
	_, _ = l.control.ask(Plan{Signal: sig}) // without the middle process there are none
}

// Close ends the middle process, and with it all processes inside, where they have not ended.
func (l *Launch) Close() error {
	_ = errors.Join(l.Helper.Close(), l.control.Close()) // nothing was written
	if <-l.forked; l.failed == nil {
		l.First.End()
	}
	return nil
}

// FlushInput advances standard input by the bytes that the session has read, once all its processes have ended, drops typed input that
// nobody has read, lets output go on that a program inside has stopped, and gives the streams the flags that they had.
func (l *Launch) FlushInput() {
	if l.input != nil {
		_ = l.input.take()
	}
	for fd, flags := range l.flags {
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags) // likewise
	}
	group, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	if err == nil && group != unix.Getpgrp() && unix.Kill(-group, 0) != unix.ESRCH { // else it was a job of the session's
		return // what is typed is for another job
	}
	_ = unix.IoctlSetInt(0, unix.TCFLSH, unix.TCIFLUSH) // most are no terminal
	_ = unix.IoctlSetInt(0, unix.TCXONC, unix.TCOON)
}

// socketPair returns a pair of sockets: ours, whose Close ends a wait, and another process's.
func socketPair() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(pair[0], true)
	}
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs"), nil
}
