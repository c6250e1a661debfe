//go:build unix

package shim

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/config"
)

// Exec replaces this process by the program at path. No other function execs. It returns only if that failed.
func Exec(path string, args []string, env config.Env) error {
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, args, env))
}

// isFrom reports whether the process that wrote the guard became this one by exec, which changes neither the pid nor the parent.
func isFrom(g guard) bool { return g.pid == os.Getpid() && g.parent == os.Getppid() }

func getwd() (string, error) { return unix.Getwd() }
