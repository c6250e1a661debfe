package mountns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// tree is what a session sees, put together in the mount namespace of [Run]. bubblewrap could do that, but reads the table of all mounts
// again after each, which took most of the time of a start.
type tree struct {
	host     int // the host's root, to which no name leads any more
	root     int // the session's, which is that of this process
	composed []composed
	fixed    int // how many of these cannot be written any more
	upper    string
	overlay  int // the [Overlay], once it was made: it can be shown again
}

// composed is a directory of the session's own.
type composed struct {
	path     string
	mount    int // what the session has
	writable int // the same, where something can still be made to mount on
}

// enterRoot makes a mount the root of this process.
func (t *tree) enterRoot(m Mount) (err error) {
	if t.host, err = openIn(unix.AT_FDCWD, "/"); err != nil {
		return err
	}
	if t.root, err = t.put(m, t.host); err != nil {
		return err
	}
	if err := errors.Join(unix.Fchdir(t.root), unix.Chroot(".")); err != nil {
		return os.NewSyscallError("chroot", err)
	}
	// What is mounted here later appears in the session, too.
	return os.NewSyscallError("mount", unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, ""))
}

// build makes mounts below top, where prefix is. Then nothing can be written any more in what is composed.
func (t *tree) build(mounts []Mount, prefix string, top int) error {
	defer unix.Umask(unix.Umask(0))
	for _, m := range mounts {
		if err := t.mount(m, strings.TrimPrefix(m.Target, prefix), top); err != nil {
			return err
		}
	}
	for _, c := range t.composed[t.fixed:] {
		if err := setMount(c.mount, unix.AT_EMPTY_PATH, unix.MOUNT_ATTR_RDONLY); err != nil {
			return err
		}
	}
	t.fixed = len(t.composed)
	return nil
}

// mount makes a mount at a path below top. What was to be seen or covered, and is gone, is left out.
func (t *tree) mount(m Mount, path string, top int) error {
	switch m.Kind {
	case Link:
		return symlinkIn(m.Source, top, path)
	case Directory:
		return mkdirIn(top, path, t.mode(m))
	case Devices:
		return t.devices(path, top)
	}
	target, err := t.target(m, path, top)
	if m.Kind != Writable && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR)) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(target)
	fd, err := t.put(m, target)
	if err == nil && m.Kind != Composed {
		err = unix.Close(fd)
	}
	return err
}

// target opens what a mount is mounted on. One that is missing is made: it lies in a directory of the session's own.
func (t *tree) target(m Mount, path string, top int) (int, error) {
	target, err := openIn(top, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return target, err
	}
	if m.Kind == Empty || m.Kind == Composed {
		return makeIn(top, path, top)
	}
	like, err := openIn(t.host, m.Source)
	if err != nil {
		return -1, err
	}
	defer unix.Close(like)
	return makeIn(top, path, like)
}

// put mounts something on an open target, and returns it.
func (t *tree) put(m Mount, target int) (fd int, err error) {
	switch m.Kind {
	case Empty, Composed:
		fd, err = newMount("tmpfs", fmt.Sprintf("mode=%04o", t.mode(m)))
	case Overlay:
		fd, err = t.openOverlay(m)
	default:
		fd, err = t.clone(m, unix.MOUNT_ATTR_NODEV)
	}
	if err == nil {
		err = attach(fd, target)
	}
	if err != nil || m.Kind != Composed {
		return fd, err
	}
	c := composed{path: m.Target, mount: fd}
	c.writable, err = unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	t.composed = append(t.composed, c)
	return fd, os.NewSyscallError("open_tree", err)
}

// mode is that of the host's directory, as far as programs expect it.
func (t *tree) mode(m Mount) uint32 {
	switch m.Target {
	case "/tmp":
		return 0o1777
	case "/run":
		return 0o755
	}
	if like, err := openIn(t.host, m.Source); m.Source != "" && err == nil {
		defer unix.Close(like)
		var st unix.Stat_t
		if unix.Fstat(like, &st) == nil {
			return st.Mode & 0o777
		}
	}
	return 0o700
}

// clone returns a copy of the host's mounts at the mount's source, which is mounted nowhere.
func (t tree) clone(m Mount, attr uint64) (int, error) {
	path, err := openIn(t.host, m.Source)
	if err != nil {
		return -1, err
	}
	defer unix.Close(path)
	fd, err := unix.OpenTree(path, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return -1, &fs.PathError{Op: "open_tree", Path: m.Source, Err: err}
	}
	if m.Kind != Writable {
		attr |= unix.MOUNT_ATTR_RDONLY
	}
	return fd, setMount(fd, unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr|unix.MOUNT_ATTR_NOSUID)
}

func setMount(fd int, flags uint, attr uint64) error {
	return os.NewSyscallError("mount_setattr", unix.MountSetattr(fd, "", flags, &unix.MountAttr{Attr_set: attr}))
}

// attach mounts what [tree.clone] returned.
func attach(source, target int) error {
	const here = unix.MOVE_MOUNT_F_EMPTY_PATH | unix.MOVE_MOUNT_T_EMPTY_PATH
	return os.NewSyscallError("move_mount", unix.MoveMount(source, "", target, "", here))
}

// newMount returns a new file system, which is mounted nowhere.
func newMount(kind string, options ...string) (int, error) {
	fd, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, os.NewSyscallError("fsopen "+kind, err)
	}
	defer unix.Close(fd)
	for _, option := range options {
		key, value, valued := strings.Cut(option, "=")
		if valued {
			err = unix.FsconfigSetString(fd, key, value)
		} else {
			err = unix.FsconfigSetFlag(fd, key)
		}
		if err != nil {
			return -1, os.NewSyscallError("fsconfig "+option, err)
		}
	}
	if err := unix.FsconfigCreate(fd); err != nil {
		return -1, os.NewSyscallError("fsconfig "+kind, err)
	}
	attr := unix.MOUNT_ATTR_NOSUID
	if kind != "devpts" { // its terminals are devices
		attr |= unix.MOUNT_ATTR_NODEV
	}
	mount, err := unix.Fsmount(fd, unix.FSMOUNT_CLOEXEC, attr)
	return mount, os.NewSyscallError("fsmount "+kind, err)
}

// openIn opens a path below top through no link.
func openIn(top int, path string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	name := path
	if top != unix.AT_FDCWD {
		name, how.Resolve = filepath.Join(".", path), how.Resolve|unix.RESOLVE_BENEATH
	}
	fd, err := unix.Openat2(top, name, &how)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// makeIn makes what source can be mounted on, and opens it.
func makeIn(top int, path string, source int) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(source, &st); err != nil {
		return -1, os.NewSyscallError("fstat", err)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		if err := mkdirIn(top, path, 0o700); err != nil {
			return -1, err
		}
		return openIn(top, path)
	}
	dir, err := parentIn(top, path)
	if err != nil {
		return -1, err
	}
	defer unix.Close(dir)
	fd, err := unix.Openat(dir, filepath.Base(path), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	_ = unix.Close(fd) // nothing was written
	return openIn(top, path)
}

// mkdirIn makes a directory, and those above it. One that exists is kept.
func mkdirIn(top int, path string, mode uint32) error {
	dir, err := parentIn(top, path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err := unix.Mkdirat(dir, filepath.Base(path), mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}

// parentIn opens the directory of path, which is made if it is missing.
func parentIn(top int, path string) (int, error) {
	dir := filepath.Dir(path)
	fd, err := openIn(top, dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return fd, err
	}
	if err := mkdirIn(top, dir, 0o700); err != nil {
		return -1, err
	}
	return openIn(top, dir)
}

func symlinkIn(to string, top int, path string) error {
	dir, err := parentIn(top, path)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err := unix.Symlinkat(to, dir, filepath.Base(path)); err != nil {
		return &fs.PathError{Op: "symlink", Path: path, Err: err}
	}
	return nil
}
