package account

import (
	"errors"
	"fmt"
	"io/fs"

	"swop/disk/sys"
)

// EnterShared is LockShared for an account that has run before: the error wraps fs.ErrNotExist if the lock file is missing.
func (s Layout) EnterShared(key string, inherit bool) (Lock, error) {
	return Flock(s.LockFile(key), sys.LOCK_SH, acrossExec(inherit))
}

// LockShared waits until no process has the account exclusively, and holds it as a session does. inherit leaves the descriptor open
// across exec, so that the lock lasts as long as codex and what it leaves behind.
func (s Layout) LockShared(key string, inherit bool) (Lock, error) {
	return Flock(s.LockFile(key), sys.LOCK_SH, acrossExec(inherit)|sys.O_CREAT)
}

func acrossExec(inherit bool) int {
	if inherit {
		return 0
	}
	return sys.O_CLOEXEC
}

// LockSharedNow is LockShared that does not wait: the error wraps [ErrInUse] while another has the account to itself.
func (s Layout) LockSharedNow(key string) (Lock, error) {
	return Flock(s.LockFile(key), sys.LOCK_SH|sys.LOCK_NB, sys.O_CLOEXEC|sys.O_CREAT)
}

// LockExclusive takes the account for a change of its place. The error wraps [ErrInUse] while another holds it.
func (s Layout) LockExclusive(key string) (Lock, error) {
	return Flock(s.LockFile(key), sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC|sys.O_CREAT)
}

// LockSelector waits until no one else changes the selector. It is no account's lock: no key begins with a dot.
func (s Layout) LockSelector() (Lock, error) {
	l, err := Flock(s.LockFile(".selector"), sys.LOCK_EX, sys.O_CLOEXEC|sys.O_CREAT)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil // there is no root, so nobody has an account to select
	}
	return l, err
}

// HomeLockFile returns the file of the lock that a run holds while it moves entries of the shared homes, of which the codex home is at path. A run
// that has this lock waits for no account's. The number of its device is not in the name: each host numbers what it mounts over NFS by itself.
func (s Layout) HomeLockFile(path string) (string, error) {
	var st sys.Stat_t
	if err := sys.Stat(path, &st); err != nil {
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
	return Flock(file, sys.LOCK_EX, sys.O_CLOEXEC|sys.O_CREAT)
}

// ErrHoldLost says that a lock was lost because another process took the account in between: see [Lock.Alone].
var ErrHoldLost = errors.New("another command has taken the account")
