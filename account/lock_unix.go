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

// EnterShared is LockShared for an account that has run before: the error wraps fs.ErrNotExist if the lock file is missing.
func (s Layout) EnterShared(key string, inherit bool) (Lock, error) {
	return Flock(s.LockFile(key), unix.LOCK_SH, acrossExec(inherit))
}

// LockShared waits until no process has the account exclusively, and holds it as a session does. inherit leaves the descriptor open
// across exec, so that the lock lasts as long as codex and what it leaves behind.
func (s Layout) LockShared(key string, inherit bool) (Lock, error) {
	return Flock(s.LockFile(key), unix.LOCK_SH, acrossExec(inherit)|unix.O_CREAT)
}

func acrossExec(inherit bool) int {
	if inherit {
		return 0
	}
	return unix.O_CLOEXEC
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

// LockSharedNow is LockShared that does not wait: the error wraps [ErrInUse] while another has the account to itself.
func (s Layout) LockSharedNow(key string) (Lock, error) {
	return Flock(s.LockFile(key), unix.LOCK_SH|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT)
}

// LockExclusive takes the account for a change of its place. The error wraps [ErrInUse] while another holds it.
func (s Layout) LockExclusive(key string) (Lock, error) {
	return Flock(s.LockFile(key), unix.LOCK_EX|unix.LOCK_NB, unix.O_CLOEXEC|unix.O_CREAT)
}

// LockSelector waits until no one else changes the selector. It is no account's lock: no key begins with a dot.
func (s Layout) LockSelector() (Lock, error) {
	l, err := Flock(s.LockFile(".selector"), unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil // there is no root, so nobody has an account to select
	}
	return l, err
}

// HomeLockFile returns the file of the lock that a run holds while it moves entries of the shared homes, of which the codex home is at path. A run
// that has this lock waits for no account's. The number of its device is not in the name: each host numbers what it mounts over NFS by itself.
func (s Layout) HomeLockFile(path string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return "", &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return s.LockFile(fmt.Sprintf(".home-%d", st.Ino)), nil
}

// LockHome waits for that lock, and holds it.
func (s Layout) LockHome(path string) (Lock, error) {
	file, err := s.HomeLockFile(path)
	if err != nil {
		return Lock{Fd: -1}, err
	}
	return Flock(file, unix.LOCK_EX, unix.O_CLOEXEC|unix.O_CREAT)
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

// ErrHoldLost says that a lock was lost because another process took the account in between: see [Lock.Alone].
var ErrHoldLost = errors.New("another command has taken the account")

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
