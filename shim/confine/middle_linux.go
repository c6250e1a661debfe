package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	middleFiles   = 7 // how many of its descriptors bubblewrap has
)

// maxOrder bounds what the supervisor says at once.
const maxOrder = 256 << 10

// setup is what the supervisor says first.
type setup struct {
	Hidden []string `json:"hidden"`
	Stage  string   `json:"stage"` // an empty directory that no session sees
}

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
	stage  string
	hidden map[string]int // descriptors of what the host has there
	shown  map[string]int // of what was mounted, by the order's id
}

// RunMiddle is the process called [MiddleName]. It was started in namespaces of its own, with CAP_SYS_ADMIN there. args are those of
// bubblewrap, with its path first. It returns bubblewrap's exit status.
func RunMiddle(args, env []string) int {
	runtime.LockOSThread() // bubblewrap dies with this thread, and has its capabilities
	m := middle{hidden: map[string]int{}, shown: map[string]int{}}
	unix.CloseOnExec(middleControl)
	control := os.NewFile(middleControl, "control")
	var first setup
	err := receive(control, &first)
	if err == nil {
		err = m.enter(first)
	}
	if err == nil {
		err = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // bubblewrap refuses to run with more than it expects
	}
	if sent := send(control, said(err)); err != nil || sent != nil || len(args) < 2 {
		return 125
	}
	files := make([]uintptr, middleFiles)
	for i := range files {
		files[i] = uintptr(i)
	}
	attr := &syscall.ProcAttr{Env: env, Files: files, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}}
	pid, err := syscall.ForkExec(args[0], args[1:], attr)
	if err != nil {
		_, _ = fmt.Fprintln(os.NewFile(2, "messages"), &os.PathError{Op: "run", Path: args[0], Err: err}) // the supervisor sees that it ended
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

// enter makes the mounts of the namespace the host's slaves, which the session's follow, and covers what is hidden.
func (m *middle) enter(s setup) error {
	for _, how := range []uintptr{unix.MS_SLAVE, unix.MS_SHARED} {
		if err := unix.Mount("", "/", "", how|unix.MS_REC, ""); err != nil {
			return os.NewSyscallError("mount", err)
		}
	}
	// A tree is put together where the session does not see it.
	m.stage = s.Stage
	err := unix.Mount("swop", m.stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0700,size=1m")
	if err == nil {
		err = unix.Mount("", m.stage, "", unix.MS_PRIVATE, "")
	}
	if err != nil {
		return &fs.PathError{Op: "mount", Path: m.stage, Err: err}
	}
	for _, path := range s.Hidden {
		fd, err := openPath(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed a moment ago
		}
		if err == nil {
			m.hidden[path] = fd
			err = cover(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openPath opens a path through no link.
func openPath(path string) (int, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

func procPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// cover hides a directory or a file behind something empty that cannot be written.
func cover(path string) error {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	switch {
	case err != nil:
	case st.Mode&unix.S_IFMT == unix.S_IFDIR:
		err = unix.Mount("swop", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY, "mode=0700,size=4k")
	default:
		if err = unix.Mount("/dev/null", path, "", unix.MS_BIND, ""); err == nil {
			err = fix(path)
		}
	}
	if err != nil {
		return &fs.PathError{Op: "cover", Path: path, Err: err}
	}
	return nil
}

// fix makes what is mounted at path read-only. A device there cannot be opened.
func fix(path string) error { return restrict(path, unix.MOUNT_ATTR_RDONLY) }

func restrict(path string, more uint64) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOSUID | more}
	if err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &attr); err != nil {
		return &fs.PathError{Op: "mount_setattr", Path: path, Err: err}
	}
	return nil
}

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

// show shows what the host has at a path in the session. All appears there at once: first the tree is put together on the stage.
func (m *middle) show(o order) error {
	target, err := openPath(o.Path)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	source, how := target, uintptr(unix.MS_BIND|unix.MS_REC)
	if fd, hidden := m.hidden[o.Path]; hidden {
		source, how = fd, unix.MS_BIND // not what covers it, too
	}
	tree, err := m.prepare(source, how, o)
	if err == nil {
		err = unix.Mount(tree, procPath(target), "", unix.MS_BIND|unix.MS_REC, "")
	}
	if tree != "" {
		_ = unix.Unmount(tree, unix.MNT_DETACH) // nobody sees it there
	}
	if err != nil {
		return &fs.PathError{Op: "show", Path: o.Path, Err: err}
	}
	m.shown[o.ID], err = openPath(o.Path)
	return err
}

// prepare puts the tree together and returns where.
func (m *middle) prepare(source int, how uintptr, o order) (tree string, err error) {
	tree = filepath.Join(m.stage, "tree")
	var st unix.Stat_t
	if err := unix.Fstat(source, &st); err != nil {
		return "", err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		err = os.Mkdir(tree, 0o700)
	} else {
		tree = filepath.Join(m.stage, "file")
		err = os.WriteFile(tree, nil, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if err := unix.Mount(procPath(source), tree, "", how, ""); err != nil {
		return "", err
	}
	if err := unix.Mount("", tree, "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil { // else what is mounted at Path appears here too
		return tree, err
	}
	more := uint64(unix.MOUNT_ATTR_RDONLY)
	if o.Writable {
		more = 0
	}
	if err := restrict(tree, more); err != nil {
		return tree, err
	}
	for _, path := range o.Readonly {
		at := tree + strings.TrimPrefix(path, o.Path)
		if err = unix.Mount(at, at, "", unix.MS_BIND|unix.MS_REC, ""); err == nil {
			err = fix(at)
		}
		if err != nil {
			return tree, err
		}
	}
	for _, path := range o.Covered {
		if err := cover(tree + strings.TrimPrefix(path, o.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return tree, err
		}
	}
	return tree, nil
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
