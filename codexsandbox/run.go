//go:build unix

package codexsandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/shim"
)

// Run is the outcome of a command.
type Run struct {
	// Status is the exit status, or 128 + the number of the signal that ended the command. Codex's own failures are statuses too, with a
	// message on Stderr: a command that is not found is 101.
	Status int
	// TimedOut says that Request.Timeout, or the deadline of the context, ended the command.
	TimedOut bool
	// Stdout and Stderr are all bytes that the command and codex wrote.
	Stdout, Stderr []byte
	// Release is the release of the codex that ran.
	Release Release
	// Args is codex's argument vector, its name first.
	Args []string
}

// Call is a request that is ready to run: the real codex, its arguments and its environment. It holds the account until it is closed.
type Call struct {
	Path    string   // the real codex
	Args    []string // its argument vector, "codex" first
	Env     config.Env
	Release Release

	request Request
	lock    *os.File // of the account; nil without one
}

// Close releases the account. A codex that still runs keeps holding it.
func (c *Call) Close() error {
	if c.lock == nil {
		return nil
	}
	return c.lock.Close()
}

// Exec replaces this process with the call, which keeps the pid, the terminal and the streams. It ignores the request's timeout and
// streams, and returns only if it fails.
func (c *Call) Exec() error {
	if c.lock != nil {
		if _, err := unix.FcntlInt(c.lock.Fd(), unix.F_SETFD, 0); err != nil { // codex inherits it, and holds the account
			return os.NewSyscallError("fcntl F_SETFD", err)
		}
	}
	if c.request.WorkingDir != "" {
		if err := os.Chdir(c.request.WorkingDir); err != nil {
			return err
		}
	}
	return shim.Exec(c.Path, c.Args, c.Env)
}

// drainTime is how long the streams stay open after the end of the command, where a process that it left holds them.
const drainTime = 2 * time.Second

// run runs the call in a session of its own and waits for its end. On timeout, or when ctx ends, it kills the process group.
func (c *Call) run(ctx context.Context, stdout, stderr io.Writer) (Run, error) {
	if c.request.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.request.Timeout)
		defer cancel()
		ctx = limited
	}
	var kept [2]bytes.Buffer
	killed := false
	cmd := exec.CommandContext(ctx, c.Path)
	cmd.Args, cmd.Dir, cmd.Env, cmd.WaitDelay = c.Args, c.request.WorkingDir, c.Env, drainTime
	cmd.Stdin = c.request.Stdin
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&kept[0], cmp.Or(stdout, io.Discard)), io.MultiWriter(&kept[1], cmp.Or(stderr, io.Discard))
	if c.lock != nil {
		cmd.ExtraFiles = []*os.File{c.lock}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // which leads a process group, too
	cmd.Cancel = func() error {
		killed = true
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return Run{}, err
	}
	run := Run{Status: statusOf(cmd.ProcessState), Release: c.Release, Args: c.Args, Stdout: kept[0].Bytes(), Stderr: kept[1].Bytes()}
	run.TimedOut = killed && errors.Is(ctx.Err(), context.DeadlineExceeded)
	_, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case killed && !run.TimedOut:
		return run, ctx.Err()
	case run.TimedOut, failed, errors.Is(err, exec.ErrWaitDelay):
		return run, nil
	}
	return run, err
}

func statusOf(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}
