package mountns

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/disk"
)

// tree is what a session sees, put together in the mount namespace of [Run]. bubblewrap could do that, but reads the table of all mounts
// again after each, which took most of the time of a start.
type tree struct {
	host   int // the host's root, to which no name leads any more
	root   int // the session's, which is that of this process
	mounts []Mount
}

// openTree makes the first of the mounts, the session's root.
func openTree(mounts []Mount) (t tree, err error) {
	t.mounts = mounts
	if t.host, err = openIn(unix.AT_FDCWD, "/"); err != nil {
		return t, err
	}
	if t.root, err = t.clone(mounts[0], unix.MOUNT_ATTR_NODEV); err != nil {
		return t, err
	}
	if err := attach(t.root, t.host); err != nil {
		return t, err
	}
	if err := errors.Join(unix.Fchdir(t.root), unix.Chroot(".")); err != nil {
		return t, os.NewSyscallError("chroot", err)
	}
	// What is mounted here later appears in the session, too.
	return t, os.NewSyscallError("mount", unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, ""))
}

// build makes the other mounts.
func (t tree) build() error {
	defer unix.Umask(unix.Umask(0))
	for _, m := range t.mounts[1:] {
		if err := t.mount(m, t.root); err != nil {
			return err
		}
	}
	return nil
}

// rebuild makes those of the mounts that are in path again, where top shows what the host has there.
func (t tree) rebuild(path string, top int) error {
	for _, m := range t.mounts[1:] {
		if m.Target == path || !config.Within(m.Target, path) {
			continue
		}
		m.Target = strings.TrimPrefix(m.Target, path)
		if err := t.mount(m, top); err != nil {
			return err
		}
	}
	return nil
}

// mount makes a mount below top. What was to be covered and is gone needs no cover.
func (t tree) mount(m Mount, top int) error {
	switch m.Kind {
	case Writable, Readonly:
		return t.bind(m, unix.MOUNT_ATTR_NODEV, top)
	case Nothing:
		if target, err := openIn(top, m.Target); err != nil {
			return disk.Ignore(err, fs.ErrNotExist)
		} else if err := unix.Close(target); err != nil {
			return err
		}
		return t.bind(Mount{Readonly, os.DevNull, m.Target}, unix.MOUNT_ATTR_NODEV, top)
	case Processes: // the host's, where bubblewrap writes before it has one of its own
		return t.bind(Mount{Writable, m.Target, m.Target}, unix.MOUNT_ATTR_NODEV, top)
	case Link:
		return symlinkIn(m.Source, top, m.Target)
	case Directory:
		return mkdirIn(top, m.Target, 0o700)
	case Devices:
		return t.devices(m.Target, top)
	}
	target, err := openIn(top, m.Target)
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer unix.Close(target)
	if m.Kind == Fixed {
		if err := setMount(target, unix.AT_EMPTY_PATH, unix.MOUNT_ATTR_RDONLY); !errors.Is(err, unix.EINVAL) {
			return err
		}
		return nil // it is part of what is empty above it
	}
	return mountNew("tmpfs", target, "mode="+m.mode())
}

// bind shows what the host has at the mount's source. A target that is missing is made: it lies in a directory of the session's own.
func (t tree) bind(m Mount, attr uint64, top int) error {
	source, err := t.clone(m, attr)
	if err != nil {
		return err
	}
	defer unix.Close(source)
	target, err := openIn(top, m.Target)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = makeIn(top, m.Target, source)
	}
	if err != nil {
		return err
	}
	defer unix.Close(target)
	return attach(source, target)
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
	if m.Kind == Readonly {
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

// mountNew mounts a new file system.
func mountNew(Kind string, target int, options string) error {
	err := unix.Mount(Kind, procPath(target), Kind, unix.MS_NOSUID|unix.MS_NODEV, options)
	return os.NewSyscallError("mount "+Kind, err)
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
