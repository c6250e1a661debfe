//go:build unix

package shim

import "syscall"

// Script reports whether p is a script, as the kernel does (execve(2)).
func (p Program) Script() bool {
	fd, err := syscall.Open(p.Path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	start := make([]byte, 2)
	_, _ = syscall.Read(fd, start) // what cannot be read is no script
	return string(start) == "#!"
}

// script returns the path of p with links resolved.
func (p Program) script() (path string, ok bool) { return p.target, true }

// raiseFileLimit gives codex as many open files as under the launcher: Node raises its soft limit to the hard one when it starts, and its
// children inherit that. Go raises its limit, too, but restores the old one before an exec unless the program itself set a limit.
func raiseFileLimit() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		limit.Cur = limit.Max
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) // where the system allows less, as on macOS, Go's limit stays
	}
}
