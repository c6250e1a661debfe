//go:build unix

package process

import (
	"context"
	"os/exec"
	"syscall"
	"time"
)

// isolate lets cmd run in a session of its own, which is killed when its context ends. leave is for its end.
func isolate(cmd *exec.Cmd) (leave func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		kill, cancel := context.WithTimeout(context.Background(), 30*time.Second) // one that waits for a disk may not end
		defer cancel()
		return EndTree(kill, cmd.Process.Pid)
	}
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP) // mostly there is nobody left
		}
	}
}

// Group lets cmd run in a process group of its own, which is interrupted when its context ends: npm's launcher has a child. kill is for
// what outlives it.
func Group(cmd *exec.Cmd) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	return func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly nobody is left
	}
}
