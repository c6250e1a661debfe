package mount

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// tree is what a session sees, put together in the mount namespace of [Run].
type tree struct {
	host     int      // the host's root, to which no name leads any more
	root     int      // the session's, which is that of this process
	composed []string // directories of the session's own
}

// enter makes a mount the root of this process, in its mount namespace.
func (t *tree) enter(m Mount) (err error) {
	if err := enterNamespace(); err != nil {
		return err
	}
	if t.host, err = openIn(unix.AT_FDCWD, "/"); err != nil {
		return err
	}
	if t.root, err = t.open(m); err == nil {
		err = attach(t.root, t.host)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(unix.Fchdir(t.root), unix.Chroot(".")); err != nil {
		return os.NewSyscallError("chroot", err)
	}
	return nil
}

// build makes mounts. Then nothing can be written any more in what is composed.
func (t *tree) build(mounts []Mount) error {
	defer unix.Umask(unix.Umask(0))
	for _, m := range mounts {
		fd, err := t.open(m)
		if err == nil {
			err = t.place(m, fd)
		}
		if fd >= 0 {
			_ = unix.Close(fd) // nothing was written
		}
		if err != nil && (m.Kind == Writable || !isGone(err)) {
			return err
		}
	}
	return t.change(t.composed, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// change changes the mounts of directories.
func (t *tree) change(dirs []string, attr unix.MountAttr) error {
	for _, dir := range dirs {
		fd, err := openIn(t.root, dir)
		if err == nil {
			err = errors.Join(unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &attr), unix.Close(fd))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place makes a mount of what is open. What was to be seen or covered, and is gone, is left out.
func (t *tree) place(m Mount, fd int) error {
	switch m.Kind {
	case Link: // one that is there is the session's own
		err := inDir(t.root, m.Target, func(dir int, name string) error { return unix.Symlinkat(m.Source, dir, name) })
		return disk.Ignore(err, fs.ErrExist)
	case Directory:
		return disk.Ignore(makeIn(t.root, m.Target, unix.S_IFDIR|m.mode()), fs.ErrExist)
	}
	if m.Kind == Held {
		return attachAs(fd, t.root, m.Target, unix.O_NOFOLLOW)
	}
	err := attachIn(fd, t.root, m.Target)
	if err == nil && m.Kind == Composed {
		t.composed = append(t.composed, m.Target)
	}
	return err
}

// isGone reports whether an error says that something is not there any more, or is another thing.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EROFS)
}

// attachIn mounts something at a path below top. What is missing there is made: it lies in a directory of the session's own.
func attachIn(fd, top int, path string) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	err := makeIn(top, path, st.Mode&unix.S_IFMT|0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return attachAs(fd, top, path, 0)
}

// attachAs mounts something at a path below top that is there.
func attachAs(fd, top int, path string, flags uint64) error {
	target, err := openAs(top, path, flags)
	if err != nil {
		return err
	}
	defer unix.Close(target)
	return attach(fd, target)
}

// open returns what is to be mounted, which is mounted nowhere yet; -1 for what is no mount.
func (t *tree) open(m Mount) (fd int, err error) {
	switch m.Kind {
	case Link, Directory:
		return -1, nil
	case Empty, Composed:
		return newMount("tmpfs", fmt.Sprintf("mode=%04o", m.mode()))
	case Terminals:
		return newMount("devpts", "newinstance", "ptmxmode=0666", "mode=620")
	}
	flags, kind := uint64(0), m.Kind
	if kind == Held {
		flags, kind = unix.O_NOFOLLOW, Readonly
	}
	source, err := openAs(t.host, m.Source, flags)
	if err != nil {
		return -1, err
	}
	defer unix.Close(source)
	if fd, err = clone(source, kind); err != nil {
		err = &fs.PathError{Op: "mount", Path: m.Source, Err: err}
	}
	return fd, err
}

// mode is that of a directory of the session's own, as programs expect it.
func (m Mount) mode() uint32 {
	switch m.Target {
	case "/tmp":
		return 0o1777
	case "/", "/home", "/run", "/dev", "/dev/shm":
		return 0o755
	}
	return 0o700
}

// clone returns a copy of the host's mounts of what is open, which is mounted nowhere.
func clone(source int, kind Kind) (int, error) {
	fd, err := unix.OpenTree(source, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return -1, os.NewSyscallError("open_tree", err)
	}
	attr := uint64(unix.MOUNT_ATTR_NOSUID)
	if kind != Device {
		attr |= unix.MOUNT_ATTR_NODEV
	}
	if kind == Readonly {
		attr |= unix.MOUNT_ATTR_RDONLY
	}
	return fd, setMount(fd, unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr)
}

func setMount(fd int, flags uint, attr uint64) error {
	return os.NewSyscallError("mount_setattr", unix.MountSetattr(fd, "", flags, &unix.MountAttr{Attr_set: attr}))
}

// attach mounts what is mounted nowhere.
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
	switch kind {
	case "devpts": // its terminals are devices
	case "proc":
		attr |= unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
	default:
		attr |= unix.MOUNT_ATTR_NODEV
	}
	mount, err := unix.Fsmount(fd, unix.FSMOUNT_CLOEXEC, attr)
	return mount, os.NewSyscallError("fsmount "+kind, err)
}

// openIn opens a path below top through no link, to look at it or to mount on it.
func openIn(top int, path string) (int, error) { return openAs(top, path, 0) }

// openAs is openIn, with O_NOFOLLOW also for a link.
func openAs(top int, path string, flags uint64) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | flags, Resolve: unix.RESOLVE_NO_SYMLINKS}
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
