//go:build unix

package codexsandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/process"
	"swop/shim"
)

// Call is a request that is ready to run: the real codex, and what it is given. It holds the account until it is closed.
type Call struct {
	Path    string   // the real codex
	Args    []string // its argument vector, "codex" first
	Env     config.Env
	Dir     string // absolute; "" is the process's own
	Release Release

	request Request
	lock    *os.File // of the account; nil without one
}

// Close gives the account back. A codex that still runs goes on to hold it.
func (c *Call) Close() error {
	if c.lock == nil {
		return nil
	}
	lock := c.lock
	c.lock = nil
	return lock.Close()
}

// ownEnv adds what the request says.
func (c *Call) ownEnv() {
	for _, entry := range c.request.Env {
		name, value, _ := strings.Cut(entry, "=")
		c.Env = c.Env.With(name, value)
	}
	if c.Dir != "" {
		c.Env = c.Env.With("PWD", c.Dir)
	}
}

// Exec replaces this process by the call: same pid, terminal and streams. The request's timeout and streams do not count. It returns
// only if it fails.
func (c *Call) Exec() error {
	if c.lock != nil {
		if _, err := unix.FcntlInt(c.lock.Fd(), unix.F_SETFD, 0); err != nil { // codex is to hold the account
			return os.NewSyscallError("fcntl F_SETFD", err)
		}
	}
	if c.Dir != "" {
		if err := os.Chdir(c.Dir); err != nil {
			return err
		}
	}
	return shim.Exec(c.Path, c.Args, c.Env)
}

// Attach runs the call with streams as they are, in this process's own session and group, so that a terminal's keys reach it, and waits
// for its end. Nothing is captured. The timeout and ctx end it and all that descends from it.
func (c *Call) Attach(ctx context.Context, stdin, stdout, stderr *os.File) (Run, error) {
	cmd := c.command()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	return c.wait(ctx, cmd)
}

func (c *Call) command() *exec.Cmd {
	env := c.Env
	if env == nil {
		env = config.Env{} // nil would be this process's own
	}
	cmd := &exec.Cmd{Path: c.Path, Args: c.Args, Env: env, Dir: c.Dir}
	if c.lock != nil {
		cmd.ExtraFiles = []*os.File{c.lock}
	}
	return cmd
}

// wait starts cmd and waits for its end, or ends it.
func (c *Call) wait(ctx context.Context, cmd *exec.Cmd) (Run, error) {
	run := Run{Release: c.Release, Args: c.Args}
	if err := ctx.Err(); err != nil {
		return run, err
	}
	if err := cmd.Start(); err != nil {
		return run, err
	}
	if c.request.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.request.Timeout)
		defer cancel()
		ctx = limited
	}
	ended := make(chan error, 1)
	unbind := context.AfterFunc(ctx, func() { ended <- endTree(cmd.Process.Pid) })
	waitErr := cmd.Wait()
	if !unbind() {
		run.Stopped = stopOf(ctx)
		if err := <-ended; err != nil {
			return run, err
		}
	}
	run.Status, run.Signal = statusOf(cmd.ProcessState)
	if exit := (*exec.ExitError)(nil); errors.As(waitErr, &exit) {
		waitErr = nil
	}
	return run, waitErr
}

// endTree kills the tree of pid. A killed process that waits for a disk is not waited for without end.
func endTree(pid int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return process.EndTree(ctx, pid)
}

func stopOf(ctx context.Context) Stop {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return TimedOut
	}
	return Canceled
}

// statusOf returns the status and the signal: codex and npm's launcher give 128 + its number as their exit status.
func statusOf(state *os.ProcessState) (int, syscall.Signal) {
	ws, _ := state.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return 128 + int(ws.Signal()), ws.Signal()
	}
	status := state.ExitCode()
	if s := syscall.Signal(status - 128); unix.SignalName(s) != "" {
		return status, s
	}
	return status, 0
}
