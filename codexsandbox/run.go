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

	"swop/internal/account/process"
	"swop/internal/session"
)

// Run is the outcome of a command.
type Run struct {
	// Status is the exit status, or 128 + the number of the signal that ended the command. Codex's own failures are statuses too, with a
	// message on Stderr: a command that is not found is 101.
	Status int
	// TimedOut says that Request.Timeout, or the deadline of the context, ended the command.
	TimedOut bool
	// Stdout and Stderr are the whole output of the command and of codex.
	Stdout, Stderr []byte
	// Release is the release of the codex that ran.
	Release Release
	// Args is codex's argument vector, its name first.
	Args []string
}

// Call is a request that is ready to run.
type Call struct {
	Args    []string // codex's argument vector, its name first
	Env     []string // of the program that Run starts: codex, or for an account swop's own, which prepares and confines it
	Release Release

	request Request
	errand  session.Errand
}

// Exec replaces this process by the call, with the same pid, terminal and streams. It ignores the request's timeout and streams, and
// returns only if it fails.
func (c *Call) Exec() error {
	if err := os.Chdir(cmp.Or(c.request.WorkingDir, ".")); err != nil {
		return err
	}
	return c.errand.Exec()
}

// run runs the call in a session of its own and waits for its end. On timeout, or when ctx ends, it kills the process group.
func (c *Call) run(ctx context.Context, stdout, stderr io.Writer) (Run, error) {
	if c.request.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.request.Timeout)
		defer cancel()
	}
	var output [2]bytes.Buffer
	cmd := c.errand.Command(ctx)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = c.request.WorkingDir, c.request.Stdin, 2*time.Second // for children that still have the streams
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&output[0], cmp.Or(stdout, io.Discard)), io.MultiWriter(&output[1], cmp.Or(stderr, io.Discard))
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return Run{}, err
	}
	run := Run{
		Status: process.Status(cmd.ProcessState), Release: c.Release, Args: c.Args, Stdout: output[0].Bytes(), Stderr: output[1].Bytes(),
	}
	killed := ctx.Err() != nil && run.Status == 128+int(syscall.SIGKILL)
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
