// Package sys has the system calls, errors and flags that packages for every platform use: on Unix those of golang.org/x/sys/unix
// themselves, on Windows what stands for them there.
package sys

import "syscall"

// The bits of open(2) and stat(2) that the shared packages use.
const (
	O_CLOEXEC  = syscall.O_CLOEXEC
	O_CREAT    = syscall.O_CREAT
	O_NONBLOCK = syscall.O_NONBLOCK

	S_IFDIR = syscall.S_IFDIR
	S_IFLNK = syscall.S_IFLNK
	S_IFMT  = syscall.S_IFMT
	S_IFREG = syscall.S_IFREG
)

// The errors that the shared packages tell apart. Windows itself returns others, which get these names.
const (
	EBUSY       = syscall.EBUSY
	EEXIST      = syscall.EEXIST
	EINVAL      = syscall.EINVAL
	EISDIR      = syscall.EISDIR
	ELOOP       = syscall.ELOOP
	ENOLCK      = syscall.ENOLCK
	ENOENT      = syscall.ENOENT
	ENOSPC      = syscall.ENOSPC
	ENOTDIR     = syscall.ENOTDIR
	ENOTEMPTY   = syscall.ENOTEMPTY
	EROFS       = syscall.EROFS
	EWOULDBLOCK = syscall.EWOULDBLOCK
	EXDEV       = syscall.EXDEV
)
