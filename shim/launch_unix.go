//go:build unix

package shim

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Script reports whether p is a script, as the kernel does (execve(2)).
func (p Program) Script() bool {
	f, err := os.Open(p.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 2)
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == "#!"
}

// scriptOf returns the script that the program at path is.
func scriptOf(path string) (script string, ok bool) {
	script, err := filepath.EvalSymlinks(path)
	return script, err == nil
}

// raiseFileLimit leaves codex as many open files as the launcher does: Node raises its own soft limit to the hard one when it starts, and
// what it starts inherits that. Go raises its limit too, but puts the old one back before an exec unless the program itself set one.
func raiseFileLimit() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		limit.Cur = limit.Max
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) // where the system allows less, as on macOS, Go's stays
	}
}
