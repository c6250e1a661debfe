package mountns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/session/supervise"
)

// middle is the state of the process.
type middle struct {
	tree
	stage int            // a directory that no session sees
	shown map[string]int // descriptors of what was mounted, by the order's id
}

// Run is the process called [Name]. It was started in namespaces of its own, with CAP_SYS_ADMIN there. It returns bubblewrap's exit
// status. Keys of the terminal end neither of them.
func Run() int {
	signal.Ignore(supervise.Signals...)
	runtime.LockOSThread() // bubblewrap dies with this thread, and has its capabilities
	m := middle{shown: map[string]int{}}
	unix.CloseOnExec(ControlSocket)
	control := NewControl(os.NewFile(ControlSocket, "control"))
	var p Plan
	err := control.Decode(&p)
	var bwrap string
	if err == nil {
		bwrap, err = m.enter(p)
	}
	if err == nil {
		err = dropCapabilities()
	}
	if sent := control.Encode(said(err)); err != nil || sent != nil || control.Decode(&Order{}) != nil {
		return 125
	}
	files := make([]uintptr, ControlSocket)
	for i := range files {
		files[i] = uintptr(i)
	}
	attr := &syscall.ProcAttr{Env: p.Env, Files: files, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}}
	pid, err := syscall.ForkExec(bwrap, p.Args, attr)
	if err != nil {
		_, _ = fmt.Fprintln(os.NewFile(Messages, "messages"), &os.PathError{Op: "run", Path: p.Program, Err: err}) // the supervisor sees that it ended
		return 125
	}
	go m.serve(control)
	status, err := supervise.ChildOf(pid).End()
	if err != nil || !status.Exited() {
		return 125 // the supervisor sees that the helper is gone
	}
	return status.ExitStatus()
}

// Try is the process called [Name] with arguments: it finds out whether [Run] could mount here, and becomes bubblewrap, with its path and these
// arguments. It returns only if that fails.
func Try(args []string) int {
	t := tree{}
	err := enterNamespace()
	if err == nil {
		t.host, err = openIn(unix.AT_FDCWD, "/")
	}
	if err == nil {
		_, err = t.clone(Mount{Readonly, "/", "/"}, unix.MOUNT_ATTR_NODEV)
	}
	if err == nil {
		err = dropCapabilities()
	}
	if err == nil {
		err = syscall.Exec(args[0], args, nil)
	}
	_, _ = fmt.Fprintln(os.Stderr, err) // the exit status says that it failed
	return 125
}

// enterNamespace keeps what is mounted here from the host, and what the host mounts later from here.
func enterNamespace() error {
	return os.NewSyscallError("mount", unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""))
}

// dropCapabilities lets the next program have none: bubblewrap refuses to run with more than it expects.
func dropCapabilities() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
}

// enter makes what the session sees the root of this process: bubblewrap shows that. It returns where bubblewrap can be run.
func (m *middle) enter(p Plan) (bwrap string, err error) {
	program, err := unix.Open(p.Program, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: p.Program, Err: err}
	}
	if err := m.make(p); err != nil {
		return "", err
	}
	var there, here unix.Stat_t
	if unix.Fstat(program, &there) == nil && unix.Stat(p.Program, &here) == nil && there.Dev == here.Dev && there.Ino == here.Ino {
		return p.Program, nil // its name in lists of processes is that of the file
	}
	return procPath(program), nil
}

func (m *middle) make(p Plan) (err error) {
	if err := enterNamespace(); err != nil {
		return err
	}
	if m.tree, err = openTree(p.Mounts); err != nil {
		return err
	}
	if err := m.build(); err != nil {
		return err
	}
	under, err := openIn(m.host, p.Stage)
	if err != nil {
		return err
	}
	defer unix.Close(under)
	if err := mountNew("tmpfs", under, "mode=0700,size=1m"); err != nil {
		return err
	}
	m.stage, err = openIn(m.host, p.Stage)
	return err
}

func procPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// serve carries out what the supervisor says until that is gone.
func (m *middle) serve(control Control) {
	for {
		var o Order
		if control.Decode(&o) != nil {
			return
		}
		var err error
		if o.Path == "" {
			err = m.end(o.ID)
		} else {
			err = m.show(o)
		}
		if control.Encode(said(err)) != nil {
			return
		}
	}
}

// show shows what the host has at a path in the session. All appears there at once: it is put together on the stage.
func (m *middle) show(o Order) error {
	how := Mount{Readonly, o.Path, o.Path}
	if o.Writable {
		how.Kind = Writable
	}
	source, err := m.clone(how, unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return err
	}
	if err = m.present(source, o); err != nil {
		_ = unix.Unmount(procPath(source), unix.MNT_DETACH) // it may be mounted nowhere yet
		return errors.Join(&fs.PathError{Op: "show", Path: o.Path, Err: err}, unix.Close(source))
	}
	m.shown[o.ID] = source
	return nil
}

// present adds to the clone what it is to have, and moves it into the session.
func (m *middle) present(source int, o Order) error {
	place, err := makeStage(m.stage, source)
	if err != nil {
		return err
	}
	defer unix.Close(place)
	if err := attach(source, place); err != nil {
		return err
	}
	for _, path := range o.Readonly {
		if err := m.bind(Mount{Readonly, path, strings.TrimPrefix(path, o.Path)}, unix.MOUNT_ATTR_NODEV, source); err != nil {
			return err
		}
	}
	if err := m.rebuild(o.Path, source); err != nil {
		return err
	}
	for _, path := range o.Covered {
		if err := m.mount(Mount{Kind: Nothing, Target: strings.TrimPrefix(path, o.Path)}, source); err != nil {
			return err
		}
	}
	target, err := openIn(m.root, o.Path)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	return attach(source, target)
}

// makeStage opens what source can be mounted on.
func makeStage(stage, source int) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(source, &st); err != nil {
		return -1, os.NewSyscallError("fstat", err)
	}
	name := "file"
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		name = "tree"
	}
	place, err := openIn(stage, name)
	if errors.Is(err, fs.ErrNotExist) {
		return makeIn(stage, name, source)
	}
	return place, err
}

// end takes what was shown out of the session. What is open there stays open.
func (m *middle) end(id string) error {
	fd, ok := m.shown[id]
	if !ok {
		return nil
	}
	delete(m.shown, id)
	defer unix.Close(fd)
	if err := unix.Unmount(procPath(fd), unix.MNT_DETACH); err != nil {
		return os.NewSyscallError("umount", err)
	}
	return nil
}

func said(err error) Answer {
	if err != nil {
		return Answer{err.Error()}
	}
	return Answer{}
}
