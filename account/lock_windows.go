package account

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"

	"swop/disk/sys"
)

// Lock is a held lock of LockFileEx. It is on a file that is never renamed or removed, so that two holders always mean the same lock.
type Lock struct {
	Fd int // the handle of the file, -1 for none
	// Unsupported: the file system has no locks, nothing is held.
	Unsupported bool
	held        bool
}

// Flock returns a lock on file, held as how says. The error wraps [ErrInUse] if another holds it and how does not wait. Of flags only O_CREAT
// counts: no child inherits a lock.
func Flock(file string, how, flags int) (Lock, error) {
	h, err := openLock(file, flags)
	if err != nil {
		return Lock{Fd: -1}, &fs.PathError{Op: "open", Path: file, Err: sys.Errno(err)}
	}
	l := Lock{Fd: int(h), held: true}
	switch err := sys.Flock(l.Fd, how); {
	case errors.Is(err, sys.EWOULDBLOCK):
		l.held = false
		l.Release()
		return l, ErrInUse
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		l.Unsupported = true
	case err != nil:
		l.Release()
		return l, &fs.PathError{Op: "lock", Path: file, Err: err}
	}
	return l, nil
}

func openLock(file string, flags int) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(file)
	if err != nil {
		return 0, err
	}
	how := uint32(windows.OPEN_EXISTING)
	if flags&sys.O_CREAT != 0 {
		how = windows.OPEN_ALWAYS
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	return windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, share, nil, how, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
}

// File returns another handle of the file, for a program to pass to a child.
func (l Lock) File() (*os.File, error) {
	return nil, errors.New("no child inherits a lock on Windows")
}

// Alone reports whether no other process holds this shared lock, and holds it again then. The lock is given up in between: where another took
// it, the error wraps [ErrHoldLost], and nothing is held.
func (l *Lock) Alone() (bool, error) {
	if l.Unsupported {
		return false, nil
	}
	if err := sys.Funlock(l.Fd); err != nil {
		return false, err
	}
	alone := sys.Flock(l.Fd, sys.LOCK_EX|sys.LOCK_NB) == nil
	if alone {
		if err := sys.Funlock(l.Fd); err != nil {
			return false, err
		}
	}
	if err := sys.Flock(l.Fd, sys.LOCK_SH|sys.LOCK_NB); err != nil {
		l.held = false
		return false, fmt.Errorf("%w: %v", ErrHoldLost, err)
	}
	return alone, nil
}

// Release gives the lock back. Releasing twice, or a lock that is not held, does nothing.
func (l *Lock) Release() {
	if l.Fd > 2 {
		if l.held {
			_ = sys.Funlock(l.Fd) // Windows may give it back long after the handle was closed
		}
		_ = windows.CloseHandle(windows.Handle(l.Fd)) // nothing was written through it
	}
	l.Fd, l.held = -1, false
}
