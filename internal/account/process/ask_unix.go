//go:build unix

package process

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// Command returns a command that runs a program in a session of its own, without a terminal. When ctx ends, its process group, to which the
// child of npm's launcher belongs, gets the signal end. rest sends a signal to the rest of the group.
func Command(ctx context.Context, p Program, end syscall.Signal) (cmd *exec.Cmd, rest func(syscall.Signal)) {
	cmd = exec.CommandContext(ctx, p.Path)
	cmd.Args, cmd.Env, cmd.Dir, cmd.ExtraFiles = p.Args, p.Env, p.Dir, p.Files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, end) }
	return cmd, func(s syscall.Signal) {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, s) // mostly the group is empty
		}
	}
}

// Status returns the exit status of a program that has ended, or 128 + the number of the signal that ended it.
func Status(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}
