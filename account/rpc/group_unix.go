//go:build unix

package rpc

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// makeGroup lets cmd run in a process group of its own, which is interrupted when its context ends: npm's launcher has a child.
func makeGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGINT) }
}

func killGroup(cmd *exec.Cmd) {
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // mostly nobody is left
}
