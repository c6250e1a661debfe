//go:build unix

package shim

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
)

// setHome is how a shell names a home.
const setHome = `export HOME="/path/to/your/home"`

// Exec replaces this process by the program at path: the one place where that happens. It returns only if that failed.
func Exec(path string, args []string, env config.Env) error {
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, args, env))
}

// isFrom reports whether the process with this pid exec'd what runs now: exec keeps the pid.
func (*Call) isFrom(pid int) bool { return pid == os.Getpid() }

// getwd is unix.Getwd, whose buffer of 4096 bytes would make the stack grow, for paths of a common length.
func getwd() (string, error) {
	var buf [512]byte
	n, err := unix.Getcwd(buf[:])
	if err != nil || n < 2 || buf[0] != '/' {
		return unix.Getwd()
	}
	return string(buf[:n-1]), nil
}
