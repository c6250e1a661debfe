package account

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/say"
)

// Lock is a held lock of flock(2), on Windows of LockFileEx. It is on a file that is never renamed or removed, so that two holders always
// mean the same lock.
type Lock struct{ Fd int }

// Flock returns a lock on file; how are flags of flock(2), and flags are added to those of open(2). The error wraps [ErrInUse] if another
// process holds the lock and how has LOCK_NB.
func Flock(file string, how, flags int) (Lock, error) {
	fd, err := openLock(file, flags)
	if err != nil {
		return Lock{Fd: -1}, err
	}
	_, err = disk.RetryEINTR(func() (struct{}, error) { return struct{}{}, sys.Flock(fd, how) })
	l := Lock{Fd: fd}
	if err == nil {
		return l, nil
	}
	l.Release()
	switch {
	case errors.Is(err, sys.EWOULDBLOCK):
		return l, ErrInUse
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, sys.ENOLCK), errors.Is(err, sys.EINVAL):
		err = say.WithHint(fmt.Errorf("%s: the file system has no locks", file), "set SWOP_ROOT to a directory on another one")
	default:
		err = &fs.PathError{Op: "flock", Path: file, Err: err}
	}
	return l, err
}

// Alone reports whether no other process holds this shared lock, and holds it again then. It never waits: a run that holds a shared home's
// lock must not. A conversion gives the lock up first, even one that fails (flock(2)): if another process took the lock in between, the
// error wraps [ErrHoldLost], and the lock is lost.
func (l *Lock) Alone() (bool, error) {
	alone := sys.Flock(l.Fd, sys.LOCK_EX|sys.LOCK_NB) == nil
	if err := sys.Flock(l.Fd, sys.LOCK_SH|sys.LOCK_NB); err != nil {
		return false, fmt.Errorf("%w: %v", ErrHoldLost, os.NewSyscallError("flock", err))
	}
	return alone, nil
}

// Release gives the lock back. Releasing twice, or a lock that is not held, does nothing.
func (l *Lock) Release() {
	if l.Fd > 2 {
		closeLock(l.Fd)
	}
	l.Fd = -1
}

// LockShared waits until no process has the account exclusively, and holds it for this program: see [Lock.AcrossExec].
func (s Layout) LockShared(key string) (Lock, error) {
	return Flock(s.LockFile(key), sys.LOCK_SH, sys.O_CLOEXEC|sys.O_CREAT)
}

// LockSharedNow is [Layout.LockShared] that neither waits nor makes the file: the error wraps [ErrInUse] while another process has the
// account exclusively.
func (s Layout) LockSharedNow(key string) (Lock, error) {
	return Flock(s.LockFile(key), sys.LOCK_SH|sys.LOCK_NB, sys.O_CLOEXEC)
}

// LockExclusive locks the account for a change of its place. The error wraps [ErrInUse] while another process holds the lock.
func (s Layout) LockExclusive(key string) (Lock, error) {
	return Flock(s.LockFile(key), sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC|sys.O_CREAT)
}

// UnderHomeLock calls f while it holds the lock of a run that moves entries of the shared homes; the codex home is at path. A run with this
// lock waits for no account's lock. The lock's name has no device number: each host numbers its NFS mounts by itself. With LOCK_NB in how
// the error wraps [ErrInUse] if the lock is held. waiting, unless it is nil, is called before a wait, and its result after that.
func (s Layout) UnderHomeLock(path string, how int, waiting func(lockFile string) (arrived func()), f func() error) error {
	var st sys.Stat_t
	if err := sys.Stat(path, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	file, arrived := s.LockFile(fmt.Sprintf(".home-%d", st.Ino)), func() {}
	if waiting != nil {
		arrived = waiting(file)
	}
	l, err := Flock(file, sys.LOCK_EX|how, sys.O_CLOEXEC|sys.O_CREAT)
	arrived()
	if err != nil {
		return err
	}
	defer l.Release()
	return f()
}

// Moving is the directory of an account while its login moves. Until it is closed no other process moves that.
type Moving struct {
	*os.Root
	lock Lock
}

// LoginLock returns the file of the lock that who moves the login holds, and a codex that is asked, as long as it may renew the login.
func (a *Account) LoginLock() string { return filepath.Join(a.Dir, "login.lock") }

// OpenToMove waits for another process that has the lock of the login.
func (a *Account) OpenToMove() (m Moving, err error) {
	if m.lock, err = Flock(a.LoginLock(), sys.LOCK_EX, sys.O_CLOEXEC|sys.O_CREAT); err == nil {
		_ = os.RemoveAll(filepath.Join(a.Dir, LentDir)) // of a question that was killed
		m.Root, err = os.OpenRoot(a.Dir)
	}
	if err != nil {
		m.lock.Release()
	}
	return m, err
}

func (m Moving) Close() error {
	m.lock.Release()
	return m.Root.Close()
}

// MoveAuth moves auth.json between directories below the account's, through no link. A missing one, and what a session put there, stays.
func (m Moving) MoveAuth(from, to string) error {
	const name = "auth.json"
	source, err := disk.OpenBelow(m.Name(), from)
	if err != nil {
		return disk.Ignore(err, fs.ErrNotExist)
	}
	defer source.Close()
	is, err := source.Stat(name)
	if err != nil || !is.IsRegular() {
		return err
	}
	target, err := disk.OpenBelow(m.Name(), to)
	if err != nil {
		return err
	}
	defer target.Close()
	if err = source.Take(name, target, name); errors.Is(err, sys.EEXIST) { // on Windows
		err = errors.Join(target.Unlink(name), source.Take(name, target, name))
	}
	if got, _ := target.Stat(name); err == nil && !got.Same(is) {
		err = errors.Join(disk.ErrChanged, target.Take(name, source, name))
	}
	if err == nil {
		err = errors.Join(target.Sync(), source.Sync())
	}
	return source.Err("rename", name, err)
}

// ErrHoldLost says that a lock was lost because another process took the account in between: see [Lock.Alone].
var ErrHoldLost = errors.New("another command has taken the account")
