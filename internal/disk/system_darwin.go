package disk

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// rewind does nothing: each listing opens the directory again.
func (d Dir) rewind() error { return nil }

// Each calls f for each entry that the directory holds, with its type and inode.
func (d Dir) Each(f func(name string, entry Entry) error) error {
	// A duplicate of d would share the place that the last listing ended at.
	fd, err := unix.Openat(d.Fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return d.Err("open", "", err)
	}
	file := os.NewFile(uintptr(fd), d.Path)
	defer file.Close()
	list, err := file.ReadDir(-1)
	if err != nil {
		return err
	}
	for _, e := range list {
		i, err := d.Stat(e.Name())
		if err != nil {
			return err
		}
		if err := f(e.Name(), Entry{e.Type(), i.Ino}); err != nil {
			return err
		}
	}
	return nil
}

// Enter opens the directory called name for its removal; a mode that locks its owner out is changed. If it is no directory any
// more the error is [ErrChanged]. A mount point is refused: there are no bind mounts here, so another device tells it.
func (d Dir) Enter(name string) (Dir, error) {
	here, err := d.Stat(".")
	if err != nil {
		return Dir{}, err
	}
	there, err := d.Stat(name)
	switch {
	case err != nil:
		return Dir{}, err
	case !there.IsDir():
		return Dir{}, ErrChanged
	case there.Dev != here.Dev:
		return Dir{}, d.Mounted(name)
	case there.mode&0o700 != 0o700:
		if err := unix.Fchmodat(d.Fd(), name, 0o700, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return Dir{}, d.Err("chmod", name, err)
		}
	}
	fd, err := unix.Openat(d.Fd(), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ENOENT):
		return Dir{}, ErrChanged
	case err != nil:
		return Dir{}, d.Err("open", name, err)
	}
	in := Dir{filepath.Join(d.Path, name), fd}
	if got, err := in.Stat("."); err != nil || !got.Same(there) {
		return Dir{}, ChangedAfter(errors.Join(err, in.Close()))
	}
	return in, nil
}

// OwnDir makes the directory called name, which was just made, accessible to its owner alone, whatever the umask was. A link that has
// taken its place meanwhile is not followed.
func (d Dir) OwnDir(name string) error {
	return unix.Fchmodat(d.Fd(), name, 0o700, unix.AT_SYMLINK_NOFOLLOW)
}

func renameNoReplace(fd int, name string, toFd int, toName string) error {
	return unix.RenameatxNp(fd, name, toFd, toName, unix.RENAME_EXCL)
}

func renameExchange(fd int, name string, toFd int, toName string) error {
	return unix.RenameatxNp(fd, name, toFd, toName, unix.RENAME_SWAP)
}

// FileClock is the time of day: APFS stamps files with nanoseconds.
func FileClock() (unix.Timespec, error) {
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_REALTIME, &now)
	return now, err
}

// Unopened reports that this system does not tell whether a process has the file called name open.
func (Dir) Unopened(string) (unopened, known bool) { return false, false }

// Local reports true: this system does not tell.
func (Dir) Local() bool { return true }

// RealPath returns the path of what path leads to, without links.
func RealPath(path string) (string, error) { return filepath.EvalSymlinks(path) }
