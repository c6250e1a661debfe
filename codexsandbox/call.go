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
	"swop/internal/account/process"
	"swop/shim"
)

// Run is the outcome of a command, also of one that was stopped.
type Run struct {
	// Status is the exit status, or 128 + the number of the signal that ended the command. Codex's own failures are statuses too, with a
	// message on Stderr: a command that is not found is 101.
	Status int
	// Signal is the signal that ended the command, 0 if none did. Codex reports it as its exit status, so a command that exits with 137
	// looks like one that SIGKILL ended.
	Signal syscall.Signal
	// Stopped is why the command was stopped, "" if it was not.
	Stopped Stop
	// Stdout and Stderr are all bytes that the command and codex wrote.
	Stdout, Stderr []byte
	// Release is the release of the codex that ran.
	Release Release
	// Args is codex's argument vector, its name first.
	Args []string
}

// Stop is why a command was stopped.
type Stop string

// The reasons to stop a command.
const (
	TimedOut Stop = "timeout"   // Request.Timeout, or the deadline of the context
	Canceled Stop = "cancelled" // the context
)

// Call is a request that is ready to run: the real codex, its arguments and its environment. It holds the account until it is closed.
type Call struct {
	Path    string   // the real codex
	Args    []string // its argument vector, "codex" first
	Env     config.Env
	Dir     string // absolute; "" is the process's own
	Release Release

	request Request
	lock    *os.File // of the account; nil without one
}

// Close releases the account. A codex that still runs keeps holding it.
func (c *Call) Close() error {
	if c.lock == nil {
		return nil
	}
	lock := c.lock
	c.lock = nil
	return lock.Close()
}

// ownEnv adds the request's variables and its working directory.
func (c *Call) ownEnv() {
	for _, entry := range c.request.Env {
		name, value, _ := strings.Cut(entry, "=")
		c.Env = c.Env.With(name, value)
	}
	if c.Dir != "" {
		c.Env = c.Env.With("PWD", c.Dir)
	}
}

// Exec replaces this process with the call, which keeps the pid, the terminal and the streams. It ignores the request's timeout and
// streams, and returns only if it fails.
func (c *Call) Exec() error {
	if c.lock != nil {
		if _, err := unix.FcntlInt(c.lock.Fd(), unix.F_SETFD, 0); err != nil { // codex inherits it, and holds the account
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

// Attach runs the call with these streams and waits for its end. It captures nothing. The call runs in this process's own session and
// group, so that a terminal's keys reach it. The timeout and ctx end it and all that descends from it.
func (c *Call) Attach(ctx context.Context, stdin, stdout, stderr *os.File) (Run, error) {
	return c.run(ctx, func(cmd *exec.Cmd) error {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
		return nil
	})
}

// run starts the command as set completes it, and waits for its end; on timeout, or when ctx ends, it kills the command and all that
// descends from it.
func (c *Call) run(ctx context.Context, set func(*exec.Cmd) error) (Run, error) {
	if c.request.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.request.Timeout)
		defer cancel()
		ctx = limited
	}
	run := Run{Release: c.Release, Args: c.Args}
	cmd := exec.CommandContext(ctx, c.Path)
	cmd.Args, cmd.Dir = c.Args, c.Dir
	cmd.Env = append(config.Env{}, c.Env...) // not nil, which would be this process's own
	if c.lock != nil {
		cmd.ExtraFiles = []*os.File{c.lock}
	}
	cmd.Cancel = func() error {
		run.Stopped = Canceled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			run.Stopped = TimedOut
		}
		return endTree(cmd.Process.Pid)
	}
	err := set(cmd)
	if err == nil {
		err = cmd.Run()
	}
	if cmd.ProcessState == nil {
		return run, err
	}
	run.Status, run.Signal = statusOf(cmd.ProcessState)
	_, failed := errors.AsType[*exec.ExitError](err)
	if failed || run.Stopped != "" || errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return run, err
}

// endTree kills the process called by pid and all that descends from it. It waits 30 seconds for one that does not end, as one that waits
// for a disk.
func endTree(pid int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return process.EndTree(ctx, pid)
}

// statusOf returns the exit status and the signal. Codex and npm's launcher report a signal as the exit status 128 + its number.
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
