package mount

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/session/socket"
	"swop/internal/session/supervise"
)

// middle is the state of the process.
type middle struct {
	tree
	control control
	beside  atomic.Int32 // programs that run beside the session
}

// mostBeside bounds them: each has a thread.
const mostBeside = 16

// Run is the process called [Name]. It was started in namespaces of its own, with CAP_SYS_ADMIN there. It returns the exit status of the
// program of the plan. Keys of the terminal end neither of them.
func Run() int {
	signal.Ignore(supervise.Signals...)
	runtime.LockOSThread()                               // the program dies with this thread
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) // also for those threads of the program that run no other; it cannot fail
	var m middle
	var p Plan
	var program supervise.Child
	var err error
	if m.control, err = newControl(os.NewFile(ControlSocket, "control")); err != nil {
		return 125
	}
	fds, err := m.control.next(&p)
	if err == nil {
		err = m.make(p, fds)
	}
	if err == nil {
		program, err = p.start(0, 1, 2, Status)
	}
	var listeners []*os.File
	if err == nil {
		listeners, err = Listen(p.Listen)
	}
	if m.control.say(err, fdsOf(listeners)...) != nil {
		return 125 // the supervisor sees that it is gone
	}
	runtime.KeepAlive(listeners)
	go m.serve()
	status, err := program.End()
	if err != nil || !status.Exited() {
		return 125 // likewise
	}
	return status.ExitStatus()
}

func (m *middle) make(p Plan, reach []int) error {
	if err := m.enter(p.Mounts[0]); err != nil {
		return err
	}
	if err := m.build(p.Mounts[1:]); err != nil {
		return err
	}
	if len(p.Listen) > 0 {
		if err := loopback(); err != nil {
			return err
		}
	}
	listeners, err := listenersOf(reach)
	for i, l := range listeners { // they lead to ports in the session's network
		go socket.ForwardTo(l, func() (net.Conn, error) { return net.Dial("tcp4", Loopback(p.Reach[i])) })
	}
	return err
}

// Listen returns a listener for each address.
func Listen(addresses []string) (files []*os.File, err error) {
	for _, address := range addresses {
		l, err := net.Listen("tcp4", address)
		if err != nil {
			return nil, err
		}
		tcp, _ := l.(*net.TCPListener) // it is one
		file, err := tcp.File()
		if err = errors.Join(err, l.Close()); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// serve carries out what the supervisor says until that is gone.
func (m *middle) serve() {
	for {
		var p Plan
		fds, err := m.control.next(&p)
		if err != nil {
			return
		}
		_ = m.control.say(m.startBeside(p, fds)) // where the supervisor is gone, the next one is missing
	}
}

// startBeside starts a program in a copy of the session's mount namespace, with more mounts. The copy is the thread's, which ends with the
// program.
func (m *middle) startBeside(p Plan, fds []int) error {
	started := make(chan error)
	go func() {
		defer m.beside.Add(-1)
		runtime.LockOSThread() // and never unlocks it
		child, err := m.copyWith(p, fds)
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

func (m *middle) copyWith(p Plan, fds []int) (c supervise.Child, err error) {
	if m.beside.Add(1) > mostBeside {
		return c, fmt.Errorf("%d programs run beside this session already", mostBeside)
	}
	t := tree{host: m.host}
	var opened []int
	for _, mount := range p.Mounts {
		fd, err := t.open(mount) // what is cloned has to be in this namespace
		if err != nil {
			return c, err
		}
		defer unix.Close(fd)
		opened = append(opened, fd)
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return c, os.NewSyscallError("unshare", err)
	}
	if t.root, err = openRoot(); err != nil {
		return c, err
	}
	defer unix.Close(t.root)
	above := slices.DeleteFunc(slices.Clone(m.composed), func(dir string) bool {
		return len(p.Mounts) == 0 || !config.Within(p.Mounts[0].Target, dir)
	})
	err = t.change(above, unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}) // something is made there to be mounted on
	for i := 0; err == nil && i < len(p.Mounts); i++ {
		err = t.place(p.Mounts[i], opened[i])
	}
	if err == nil {
		err = t.change(append(above, t.composed...), unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	}
	if err != nil {
		return c, err
	}
	return p.start(fds[1], fds[2], fds[3], fds[0])
}
