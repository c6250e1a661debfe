//go:build unix

package shim

import (
	"path/filepath"
	"syscall"
)

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
