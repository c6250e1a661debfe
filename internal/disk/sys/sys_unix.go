//go:build unix

package sys

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

type (
	Stat_t   = unix.Stat_t //nolint:revive // the name that the system has for it
	Timespec = unix.Timespec
)

const (
	LOCK_EX = unix.LOCK_EX
	LOCK_NB = unix.LOCK_NB
	LOCK_SH = unix.LOCK_SH

	O_NOFOLLOW = unix.O_NOFOLLOW
)

// Errno returns the system's error in err, and any other error as it is.
func Errno(err error) error {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e
	}
	return err
}

// Stat is stat(2).
func Stat(path string, st *Stat_t) error { return unix.Stat(path, st) }

// Lstat is lstat(2).
func Lstat(path string, st *Stat_t) error { return unix.Lstat(path, st) }

// Fstat is fstat(2).
func Fstat(fd int, st *Stat_t) error { return unix.Fstat(fd, st) }

// Read is read(2), and Close close(2) of what nothing was written to.
func Read(fd int, p []byte) (int, error) { return unix.Read(fd, p) }
func Close(fd int)                       { _ = unix.Close(fd) }

// Flock is flock(2).
func Flock(fd, how int) error { return unix.Flock(fd, how) }
