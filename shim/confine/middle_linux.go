package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// MiddleName is the argv[0] of the process between the supervisor and bubblewrap. It has a mount namespace between the host's and the
// session's: what it mounts appears in the session, and what it unmounts vanishes there. It ends as bubblewrap does.
const MiddleName = "swop-middle"

// Its descriptors beside those of bubblewrap: see [Session.Command].
const (
	middleControl = 7
	middlePlan    = 8
	middleFiles   = 7 // how many of its descriptors bubblewrap has
)

// maxOrder bounds what the supervisor says at once.
const maxOrder = 256 << 10

// begin is what the supervisor says first: the plan is complete.
type begin struct{}

// order is what it says then: to show a path of the host in the session, or to show it no longer.
type order struct {
	ID       string   `json:"id"`
	Path     string   `json:"path,omitempty"` // none to end it
	Writable bool     `json:"writable,omitempty"`
	Readonly []string `json:"readonly,omitempty"` // in Path
	Covered  []string `json:"covered,omitempty"`  // likewise: sockets, some of which may be gone
}

// answer says how it went.
type answer struct {
	Error string `json:"error,omitempty"`
}

// middle is the state of the process.
type middle struct {
	tree
	stage int            // a directory that no session sees
	shown map[string]int // descriptors of what was mounted, by the order's id
}

// RunMiddle is the process called [MiddleName]. It was started in namespaces of its own, with CAP_SYS_ADMIN there. It returns bubblewrap's exit
// status.
func RunMiddle() int {
	runtime.LockOSThread() // bubblewrap dies with this thread, and has its capabilities
	m := middle{shown: map[string]int{}}
	if err := unix.CloseRange(middleControl, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 125
	}
	control, file := os.NewFile(middleControl, "control"), os.NewFile(middlePlan, "plan")
	var p plan
	err := receive(control, &begin{})
	if err == nil {
		p, err = readPlan(file)
	}
	var bwrap string
	if err == nil {
		bwrap, err = m.enter(p)
	}
	if err == nil {
		err = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // bubblewrap refuses to run with more than it expects
	}
	if sent := send(control, said(err)); err != nil || sent != nil {
		return 125
	}
	files := make([]uintptr, middleFiles)
	for i := range files {
		files[i] = uintptr(i)
	}
	attr := &syscall.ProcAttr{Env: p.env, Files: files, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}}
	pid, err := syscall.ForkExec(bwrap, p.args, attr)
	if err != nil {
		_, _ = fmt.Fprintln(os.NewFile(2, "messages"), &os.PathError{Op: "run", Path: p.program, Err: err}) // the supervisor sees that it ended
		return 125
	}
	go m.serve(control)
	return waitStatus(pid)
}

// waitStatus waits for a child and returns its exit status, as a shell has it.
func waitStatus(pid int) int {
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 125
		case status.Signaled():
			return 128 + int(status.Signal())
		default:
			return status.ExitStatus()
		}
	}
}

// enter makes what the session sees the root of this process: bubblewrap shows that. It returns where bubblewrap can be run.
func (m *middle) enter(p plan) (bwrap string, err error) {
	program, err := unix.Open(p.program, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: p.program, Err: err}
	}
	if err := m.make(p); err != nil {
		return "", err
	}
	var there, here unix.Stat_t
	if unix.Fstat(program, &there) == nil && unix.Stat(p.program, &here) == nil && there.Dev == here.Dev && there.Ino == here.Ino {
		return p.program, nil // its name in lists of processes is that of the file
	}
	return procPath(program), nil
}

func (m *middle) make(p plan) (err error) {
	// What is mounted here does not appear at the host; what the host mounts later appears here.
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return os.NewSyscallError("mount", err)
	}
	if m.tree, err = openTree(p.mounts); err != nil {
		return err
	}
	if err := m.build(); err != nil {
		return err
	}
	under, err := openIn(m.host, p.stage)
	if err != nil {
		return err
	}
	defer unix.Close(under)
	if err := mountNew("tmpfs", under, "mode=0700,size=1m"); err != nil {
		return err
	}
	m.stage, err = openIn(m.host, p.stage)
	return err
}

func procPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// serve carries out what the supervisor says until that is gone.
func (m *middle) serve(control *os.File) {
	for {
		var o order
		if receive(control, &o) != nil {
			return
		}
		var err error
		if o.Path == "" {
			err = m.end(o.ID)
		} else {
			err = m.show(o)
		}
		if send(control, said(err)) != nil {
			return
		}
	}
}

// show shows what the host has at a path in the session. All appears there at once: it is put together on the stage.
func (m *middle) show(o order) error {
	how := mount{readonly, o.Path, o.Path}
	if o.Writable {
		how.kind = writable
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
func (m *middle) present(source int, o order) error {
	place, err := makeStage(m.stage, source)
	if err != nil {
		return err
	}
	defer unix.Close(place)
	if err := attach(source, place); err != nil {
		return err
	}
	for _, path := range o.Readonly {
		if err := m.bind(mount{readonly, path, strings.TrimPrefix(path, o.Path)}, unix.MOUNT_ATTR_NODEV, source); err != nil {
			return err
		}
	}
	if err := m.rebuild(o.Path, source); err != nil {
		return err
	}
	for _, path := range o.Covered {
		if err := m.mount(mount{kind: nothing, target: strings.TrimPrefix(path, o.Path)}, source); err != nil {
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

func said(err error) answer {
	if err != nil {
		return answer{err.Error()}
	}
	return answer{}
}

// send and receive pass a message over a socket that keeps messages apart.
func send(to io.Writer, message any) error {
	text, err := json.Marshal(message)
	if err == nil {
		_, err = to.Write(text)
	}
	return err
}

func receive(from io.Reader, message any) error {
	text := make([]byte, maxOrder)
	n, err := from.Read(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(text[:n], message)
}
