//go:build unix

package account

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"swop/disk"
)

// Lock is a held flock(2) lock. It is on a file that is never renamed or removed, so that two holders always mean the same lock.
type Lock struct {
	Fd int
	// Unsupported: the file system has no locks, nothing is held.
	Unsupported bool
}

// File returns another descriptor of the held lock, closed on exec, for a program to pass to a child: the lock then lasts as long as
// any of them is open.
func (l Lock) File() (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(l.Fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl F_DUPFD_CLOEXEC", err)
	}
	return os.NewFile(uintptr(fd), "lock"), nil
}

// Flock returns a lock on file, held as how says to flock(2). The error wraps [ErrInUse] if another holds it and how does not wait. flags
// are added to those of open(2).
func Flock(file string, how, flags int) (Lock, error) {
	fd, err := openLock(file, flags)
	if err != nil {
		return Lock{Fd: -1}, err
	}
	_, err = disk.RetryEINTR(func() (struct{}, error) { return struct{}{}, unix.Flock(fd, how) })
	l := Lock{Fd: fd}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		l.Release()
		return Lock{Fd: -1}, ErrInUse
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		l.Unsupported = true
	case err != nil:
		l.Release()
		return Lock{Fd: -1}, &fs.PathError{Op: "flock", Path: file, Err: err}
	}
	return l, nil
}

// openLock opens a lock file, and makes it if it is missing and flags have O_CREAT. It is not synced: nobody holds a lock after a crash.
func openLock(file string, flags int) (int, error) {
	for {
		fd, err := unix.Open(file, unix.O_RDWR|unix.O_NOFOLLOW|flags&^unix.O_CREAT, 0)
		if errors.Is(err, unix.ENOENT) && flags&unix.O_CREAT != 0 {
			if fd, err = unix.Open(file, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_EXCL|flags, 0o600); err == nil {
				err = unix.Fchmod(fd, 0o600) // whatever the umask
			}
		}
		if errors.Is(err, unix.EROFS) || errors.Is(err, unix.EACCES) { // flock(2) needs no right to write
			if only, readErr := unix.Open(file, unix.O_RDONLY|unix.O_NOFOLLOW|flags&^unix.O_CREAT, 0); readErr == nil {
				fd, err = only, nil
			}
		}
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EEXIST):
		case err != nil:
			return -1, &fs.PathError{Op: "open", Path: file, Err: err}
		default:
			return fd, nil
		}
	}
}

// Alone reports whether no other process holds this shared lock, and holds it again then. It never waits: a run that
// holds a shared home's lock must not. A conversion gives the lock up first (flock(2)), and so does one that fails: where another took it
// in between, the error wraps [ErrHoldLost], and nothing is held.
func (l *Lock) Alone() (bool, error) {
	if l.Unsupported {
		return false, nil
	}
	alone := unix.Flock(l.Fd, unix.LOCK_EX|unix.LOCK_NB) == nil
	if err := unix.Flock(l.Fd, unix.LOCK_SH|unix.LOCK_NB); err != nil {
		return false, fmt.Errorf("%w: %v", ErrHoldLost, os.NewSyscallError("flock", err))
	}
	return alone, nil
}

// Release gives the lock back. Releasing twice, or a lock that is not held, does nothing.
func (l *Lock) Release() {
	if l.Fd > 2 {
		_ = unix.Close(l.Fd) // nothing was written through it
	}
	l.Fd = -1
}
