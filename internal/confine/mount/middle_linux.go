package mount

import (
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/internal/session/socket"
	"swop/internal/session/supervise"
)

// middle is the state of the process.
type middle struct {
	tree
	control control
	passing *os.File
}

// Run is the process called [Name]. It was started in namespaces of its own, with CAP_SYS_ADMIN there. It returns the exit status of the
// program of the plan. Keys of the terminal end neither of them.
func Run() int {
	signal.Ignore(supervise.Signals...)
	runtime.LockOSThread()                               // the program dies with this thread
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) // also for those threads of the program that run no other; it cannot fail
	for _, fd := range []int{ControlSocket, PassingSocket} {
		unix.CloseOnExec(fd)
	}
	m := middle{control: newControl(os.NewFile(ControlSocket, "control")), passing: os.NewFile(PassingSocket, "passing")}
	var p Plan
	var program supervise.Child
	err := m.control.Decode(&p)
	if err == nil {
		err = m.make(p)
	}
	if err == nil {
		program, err = p.start()
	}
	if m.control.say(err) != nil {
		return 125
	}
	if err := m.listen(p.Listen); err != nil {
		return 125 // the supervisor sees that it is gone
	}
	go m.serve()
	status, err := program.End()
	if err != nil || !status.Exited() {
		return 125 // likewise
	}
	return status.ExitStatus()
}

func (m *middle) make(p Plan) error {
	if err := m.enter(p.Mounts[0]); err != nil {
		return err
	}
	if err := m.build(p.Mounts[1:]); err != nil {
		return err
	}
	if p.OwnNetwork {
		if err := loopback(); err != nil {
			return err
		}
	}
	return m.reach(p.Reach)
}

// listen passes the supervisor a listener in the session's network for each address.
func (m *middle) listen(addresses []string) error {
	if len(addresses) == 0 {
		return nil
	}
	var fds []int
	for _, address := range addresses {
		l, err := net.Listen("tcp4", address)
		if err != nil {
			return err
		}
		tcp, _ := l.(*net.TCPListener) // it is one
		file, err := tcp.File()
		if err != nil {
			return err
		}
		fds = append(fds, int(file.Fd()))
	}
	return pass(m.passing, fds)
}

// reach leads from the supervisor's listeners to ports in the session's network.
func (m *middle) reach(ports []int) error {
	if len(ports) == 0 {
		return nil
	}
	fds, err := receive(m.passing, len(ports))
	if err != nil {
		return err
	}
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "reach")
		l, err := net.FileListener(file)
		if err != nil {
			return err
		}
		_ = file.Close() // nothing was written
		go socket.ForwardTo(l, func() (net.Conn, error) { return net.Dial("tcp4", Loopback(ports[i])) })
	}
	return nil
}

// serve carries out what the supervisor says until that is gone.
func (m *middle) serve() {
	for {
		var o Order
		if m.control.Decode(&o) != nil {
			return
		}
		const streams = 3
		fds, err := receive(m.passing, 1+streams)
		if err == nil {
			err = m.beside(o, fds)
		}
		if m.control.say(err) != nil && err == nil {
			return
		}
	}
}

// beside starts a program in a copy of the session's mount namespace, with more mounts. The copy is the thread's, which ends with the program.
func (m *middle) beside(o Order, fds []int) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks it
		child, err := m.startBeside(o, fds)
		for _, fd := range fds {
			_ = unix.Close(fd) // nothing was written
		}
		started <- err
		if err == nil {
			_, _ = child.End() // its helper tells the supervisor
		}
	}()
	return <-started
}

func (m *middle) startBeside(o Order, fds []int) (c supervise.Child, err error) {
	t := tree{host: m.host}
	var opened []int
	for _, mount := range o.Mounts {
		fd := -1
		if mount.Kind != Link && mount.Kind != Directory {
			if fd, err = t.open(mount); err != nil { // what is cloned has to be in this namespace
				return c, err
			}
			defer unix.Close(fd)
		}
		opened = append(opened, fd)
	}
	if err := m.makeTarget(o.Mounts, opened); err != nil {
		return c, err
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return c, os.NewSyscallError("unshare", err)
	}
	if t.root, err = openIn(unix.AT_FDCWD, "/"); err != nil {
		return c, err
	}
	defer unix.Close(t.root)
	for i, mount := range o.Mounts {
		if err := t.place(mount, opened[i]); err != nil {
			return c, err
		}
	}
	if err := t.fix(); err != nil {
		return c, err
	}
	files := []uintptr{uintptr(fds[1]), uintptr(fds[2]), uintptr(fds[3]), Status: uintptr(fds[0])}
	return startBelow(o.Program, o.Args, &syscall.ProcAttr{Env: o.Env, Files: files, Sys: below(sessionsOwn)})
}
