//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// isolate lets cmd run in a session of its own, whose first process group is killed when its context ends. leave is for its end.
func isolate(cmd *exec.Cmd) (leave func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
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
