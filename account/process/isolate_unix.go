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
