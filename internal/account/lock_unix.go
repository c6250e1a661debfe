//go:build unix

package account

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// openLock opens a lock file, and makes it if it is missing and flags have O_CREAT. It is not synced: nobody holds a lock after a crash.
func openLock(file string, flags int) (int, error) {
	for {
		fd, err := unix.Open(file, unix.O_RDWR|unix.O_NOFOLLOW|flags&^unix.O_CREAT, 0)
		if errors.Is(err, unix.ENOENT) && flags&unix.O_CREAT != 0 {
			if fd, err = unix.Open(file, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_EXCL|flags, 0o600); err == nil {
				err = errors.Join(unix.Fchmod(fd, 0o600), unix.Futimes(fd, make([]unix.Timeval, 2))) // never used
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

// AcrossExec lets the lock last as long as codex and the processes that it leaves behind.
func (l Lock) AcrossExec() { _, _ = unix.FcntlInt(uintptr(l.Fd), unix.F_SETFD, 0) } // it is open

func closeLock(fd int) { _ = unix.Close(fd) } // nothing was written to it
