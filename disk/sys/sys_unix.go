//go:build unix

// Package sys has the system calls, errors and flags that packages for every platform use: on Unix those of golang.org/x/sys/unix themselves,
// on Windows what stands for them there.
package sys

import (
	"time"

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

	O_CLOEXEC  = unix.O_CLOEXEC
	O_CREAT    = unix.O_CREAT
	O_NOFOLLOW = unix.O_NOFOLLOW
	O_NONBLOCK = unix.O_NONBLOCK

	S_IFDIR = unix.S_IFDIR
	S_IFLNK = unix.S_IFLNK
	S_IFMT  = unix.S_IFMT
	S_IFREG = unix.S_IFREG

	EBUSY       = unix.EBUSY
	EEXIST      = unix.EEXIST
	EINVAL      = unix.EINVAL
	ELOOP       = unix.ELOOP
	EMFILE      = unix.EMFILE
	ENFILE      = unix.ENFILE
	ENOENT      = unix.ENOENT
	ENOMEM      = unix.ENOMEM
	ENOSPC      = unix.ENOSPC
	ENOTDIR     = unix.ENOTDIR
	ENOTEMPTY   = unix.ENOTEMPTY
	EROFS       = unix.EROFS
	EWOULDBLOCK = unix.EWOULDBLOCK
	EXDEV       = unix.EXDEV
)

// Stat is stat(2).
func Stat(path string, st *Stat_t) error { return unix.Stat(path, st) }

// Lstat is lstat(2).
func Lstat(path string, st *Stat_t) error { return unix.Lstat(path, st) }

// Fstat is fstat(2).
func Fstat(fd int, st *Stat_t) error { return unix.Fstat(fd, st) }

// Flock is flock(2).
func Flock(fd, how int) error { return unix.Flock(fd, how) }

// Mtime returns when the file was written, in nanoseconds since 1970.
func Mtime(st *Stat_t) int64 { return unix.TimespecToNsec(st.Mtim) }

// SetMtime sets the time at which an open file was written.
func SetMtime(fd int, at time.Time) error {
	when := unix.NsecToTimeval(at.UnixNano())
	return unix.Futimes(fd, []unix.Timeval{when, when})
}
