package mount

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// tree is the session's file system, put together in the mount namespace of [Run].
type tree struct {
	host int // the host's root, to which no name leads any more
	root int // the session's, which is that of this process
}

// Enter makes mounts over what a helper sees, before [Finish]. The first one is to show all of that.
func Enter(mounts []Mount) error {
	if err := showProcesses(); err != nil {
		return err
	}
	return new(tree).enter(mounts)
}

// enter makes the first mount, which is one of the host's, the root of this process, and the others in it. From then on neither the host
// nor this process sees new mounts of the other.
func (t *tree) enter(mounts []Mount) (err error) {
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return os.NewSyscallError("mount", err)
	}
	if t.host, err = unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
		return os.NewSyscallError("open", err)
	}
	if t.root, err = t.open(mounts[0]); err == nil {
		err = attach(t.root, t.host)
	}
	if err == nil {
		err = os.NewSyscallError("chroot", errors.Join(unix.Fchdir(t.root), unix.Chroot(".")))
	}
	if err != nil {
		return err
	}
	return t.build(mounts[1:])
}

// build makes mounts.
func (t *tree) build(mounts []Mount) error {
	defer unix.Umask(unix.Umask(0))
	for _, m := range mounts {
		fd, err := t.open(m)
		if err != nil {
			return err
		}
		err = t.place(m, fd)
		_ = unix.Close(fd) // nothing was written, or there is none
		if err != nil {
			return fmt.Errorf("%w (if a session has put something in the way, it lies in the home of its account, or where it can write)", err)
		}
	}
	return nil
}

// place makes a mount: of the tree that fd is, for the host's kinds. A missing target is made.
func (t *tree) place(m Mount, fd int) error {
	switch m.Kind {
	case Link:
		return makeIn(t.root, m.Target, unix.S_IFLNK, m.Source)
	case Directory:
		return makeIn(t.root, m.Target, unix.S_IFDIR|0o755, "")
	}
	target, err := openIn(t.root, m.Target)
	if errors.Is(err, fs.ErrNotExist) {
		made := uint32(unix.S_IFDIR | 0o755)
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil { // else it is of the session's own
			made = st.Mode&unix.S_IFMT | 0o700
		}
		if err = makeIn(t.root, m.Target, made, ""); err == nil {
			target, err = openIn(t.root, m.Target)
		}
	}
	if err != nil {
		return err
	}
	defer unix.Close(target)
	switch m.Kind {
	case Processes:
		err = mountNew("proc", target, unix.MS_NODEV|unix.MS_NOEXEC, "")
	case Terminals:
		err = mountNew("devpts", target, unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	case Composed, Empty:
		err = mountNew("tmpfs", target, unix.MS_NODEV, "mode="+cmp.Or(m.Source, "0755"))
	case Opened:
		err = unix.MountSetattr(target, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	case Sealed:
		err = unix.MountSetattr(target, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	default:
		err = attach(fd, target)
	}
	if err != nil {
		err = &fs.PathError{Op: "mount", Path: m.Target, Err: err}
	}
	return err
}

// mountNew mounts a new file system on an open directory.
func mountNew(kind string, target int, flags uintptr, options string) error {
	err := unix.Mount(kind, fmt.Sprintf("/proc/self/fd/%d", target), kind, unix.MS_NOSUID|flags, options)
	return os.NewSyscallError(kind, err)
}

// open returns a detached copy of the mounts at the source, -1 for the kinds of the session's own.
func (t *tree) open(m Mount) (fd int, err error) {
	attr, top := uint64(unix.MOUNT_ATTR_NOSUID), t.host
	switch m.Kind {
	case Again:
		top = t.root
	case Writable:
		attr |= unix.MOUNT_ATTR_NODEV
	case Readonly:
		attr |= unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_RDONLY
	case Device:
	default:
		return -1, nil
	}
	source, err := openIn(top, m.Source)
	if err != nil {
		return -1, err
	}
	defer unix.Close(source)
	const all = unix.AT_RECURSIVE | unix.AT_EMPTY_PATH
	if fd, err = unix.OpenTree(source, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|all); err == nil {
		err = unix.MountSetattr(fd, "", all, &unix.MountAttr{Attr_set: attr})
	}
	if err != nil {
		err = &fs.PathError{Op: "mount", Path: m.Source, Err: err}
	}
	return fd, err
}

// attach mounts a detached tree.
func attach(source, target int) error {
	const here = unix.MOVE_MOUNT_F_EMPTY_PATH | unix.MOVE_MOUNT_T_EMPTY_PATH
	return os.NewSyscallError("move_mount", unix.MoveMount(source, "", target, "", here))
}

// openIn opens a path below top, to look at it or to mount on it, through no link: one at its end is opened itself.
func openIn(top int, path string) (int, error) {
	fd, err := unix.Openat2(top, filepath.Join(".", path), &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
	})
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// makeIn makes a directory, a link or an empty file below top, and the directories above it. An existing entry stays.
func makeIn(top int, path string, mode uint32, link string) error {
	above, name := filepath.Split(path)
	dir, err := openIn(top, above)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeIn(top, filepath.Dir(path), unix.S_IFDIR|0o700, ""); err == nil {
			dir, err = openIn(top, above)
		}
	}
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		err = unix.Mkdirat(dir, name, mode&^unix.S_IFMT)
	case unix.S_IFLNK:
		err = unix.Symlinkat(link, dir, name)
	default:
		err = unix.Mknodat(dir, name, unix.S_IFREG|0o600, 0)
	}
	if err = disk.Ignore(err, fs.ErrExist); err != nil {
		err = &fs.PathError{Op: "make", Path: path, Err: err}
	}
	return err
}
