// Package mount is the process between a confined session's supervisor and what runs inside. In a mount namespace of its own it makes what
// the session sees, once; it starts the session's first process in namespaces below, and programs that were allowed more beside it. Package
// confine says what is mounted.
package mount

import (
	"errors"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/session/socket"
	"swop/internal/session/supervise"
)

// Name is the argv[0] of the process, and HelperName that of a helper, which reads its program and calls [Finish].
const (
	Name       = "swop-middle"
	HelperName = "swop-helper"
)

// middle is the state of the process.
type middle struct {
	tree
	control control
	own     int           // the mount namespace of this process
	held    chan struct{} // ends hold; nil where it does not run
}

// Run is the process called [Name], in namespaces of its own, with CAP_SYS_ADMIN there: it carries out plans until the program of the first
// one has ended, or the supervisor is gone. Keys of the terminal end neither of them. All that it has started dies with it.
func Run() {
	supervise.Survive()
	runtime.LockOSThread()                               // the programs die with this thread
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) // also for those threads of the program that run no other; it cannot fail
	control, err := newControl(os.NewFile(ControlSocket, "control"))
	if err != nil {
		return
	}
	m := middle{control: control}
	for begun := false; ; begun = true {
		var p Plan
		var listeners []int
		fds, err := m.control.next(&p)
		switch {
		case err != nil:
			return
		case !begun:
			listeners, err = m.begin(p, fds)
		case p.Signal != 0:
			err = m.signal(p.Signal)
		default:
			err = m.startBeside(p, fds)
		}
		m.control.say(err, listeners...)
		closeAll(listeners) // the supervisor has them
	}
}

// begin carries out the first plan. It returns a listener for each port of the session's network.
func (m *middle) begin(p Plan, reach []int) (listeners []int, err error) {
	if m.own, err = unix.Open("/proc/thread-self/ns/mnt", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return nil, os.NewSyscallError("open", err)
	}
	if err := errors.Join(limitAll(), m.enter(p.Mounts)); err != nil {
		return nil, err
	}
	if len(p.Listen) > 0 {
		err = loopback()
	}
	outside, err2 := listenersOf(reach)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	for i, l := range outside { // they lead to ports in the session's network
		go socket.ForwardTo(l, net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Reach[i])))
	}
	program, err := p.start(0, 1, 2, Status)
	if err != nil {
		return nil, err
	}
	go func() { // the helpers of the other programs tell the supervisor
		for ended := 0; ended != program; {
			ended, _ = unix.Wait4(-1, nil, 0, nil) // a signal interrupts it
		}
		_ = m.control.CloseRead() // no plan comes any more; the answer may still have to be sent
	}()
	return listen(p.Listen)
}

// signal sends a signal to all processes inside.
func (m *middle) signal(sig unix.Signal) error {
	if m.held != nil {
		m.held <- struct{}{}
		m.held = nil
	}
	if sig == unix.SIGSTOP {
		m.held = make(chan struct{})
		go hold(m.held)
	}
	return unix.Kill(-1, sig)
}

// hold stops all processes inside again and again, until their session goes on: the kernel continues those whose terminal is closed, or
// whose group becomes an orphan (setpgid(2)), by the end of a process that had begun to end.
func hold(end <-chan struct{}) {
	goesOn := make(chan os.Signal, 1) // with the job: the program inside has got the signal, too
	signal.Notify(goesOn, unix.SIGCONT)
	defer signal.Stop(goesOn)
	for {
		select {
		case <-goesOn:
			<-end
			return
		case <-end:
			return
		case <-time.After(20 * time.Millisecond):
			_ = unix.Kill(-1, unix.SIGSTOP) // there may be none
		}
	}
}

// startBeside starts a program in a copy of the session's mount namespace, with more mounts. This thread is in the copy meanwhile. The
// kernel clones only mounts of the caller's namespace. Until the program starts the directory leads to a copy of the host's root.
func (m *middle) startBeside(p Plan, fds []int) error {
	defer closeAll(fds)
	if err := errors.Join(unix.Fchdir(m.host), unix.Unshare(unix.CLONE_NEWNS)); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == nil {
		err = (&tree{host: unix.AT_FDCWD, root: root}).build(p.Mounts)
		err = errors.Join(err, unix.Close(root), unix.Chdir("/"))
	}
	if err == nil {
		_, err = p.start(fds[1], fds[2], fds[3], fds[0])
	}
	return errors.Join(err, os.NewSyscallError("setns", unix.Setns(m.own, unix.CLONE_NEWNS))) // which changes the directory, too
}
