package process

import (
	"context"
	"os/exec"
	"syscall"
)

// Command returns what runs a program, which is killed alone when ctx ends: Windows has no process groups.
func Command(ctx context.Context, p Program, _ syscall.Signal) (cmd *exec.Cmd, rest func(syscall.Signal)) {
	cmd = exec.CommandContext(ctx, p.Path)
	cmd.Args, cmd.Env, cmd.Dir = p.Args, p.Env, p.Dir
	return cmd, func(syscall.Signal) {}
}
