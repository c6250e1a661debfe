package appserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"swop/account/process"
)

// end asks the servers to stop if they are idle, and ends those that still run.
func (o StopOptions) end(ctx context.Context, servers []process.Process, most activity) error {
	asked := false
	if most == idle {
		var err error
		if asked, err = o.ask(ctx, servers); err != nil {
			return err
		}
	}
	for _, p := range servers {
		if err := o.endOne(ctx, p, most, asked && !p.IsUpdater()); err != nil {
			return err
		}
	}
	return nil
}

// endOne ends one server and waits for it. The first signal that a server gets lets a turn finish that has just begun, and the later
// ones do not: so it is checked again before each of those. A server that was told to stop counts as one that got the first.
func (o StopOptions) endOne(ctx context.Context, p process.Process, most activity, told bool) error {
	now, err := p.Current()
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%v: %w", p, err)
	}
	if !now.IsServer() { // it runs another program since
		return nil
	}
	for _, step := range endSteps(most) {
		if told {
			if err := o.stillFree(p); err != nil {
				return err
			}
		}
		ended, err := step.take(ctx, p)
		if err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
		if ended {
			return nil
		}
		told = true
	}
	return fmt.Errorf("%v survives SIGKILL", p)
}

// stillFree fails without EndTurns, wrapping ErrBusy, if the server has got a turn since it was told to stop.
func (o StopOptions) stillFree(p process.Process) error {
	if o.EndTurns {
		return nil
	}
	t, err := process.OfAccount(o.CodexHome)
	if err != nil {
		return err
	}
	_, err = o.mostActive(t, []process.Process{p})
	return err
}

// endStep is a signal and how long to wait after it.
type endStep struct {
	signal unix.Signal
	wait   time.Duration
}

// endSteps returns how to end servers of which the most active does this. SIGTERM ends an idle server in 0.05 s and lets a busy one
// finish its turn; a second SIGTERM ends that one at once (0.169). A stopped or hung one needs SIGKILL.
func endSteps(most activity) []endStep {
	kill := endStep{unix.SIGKILL, 10 * time.Second}
	switch most {
	case busy:
		return []endStep{{unix.SIGTERM, time.Second}, {unix.SIGTERM, 5 * time.Second}, kill}
	case hung:
		return []endStep{{unix.SIGTERM, 2 * time.Second}, kill}
	}
	return []endStep{{unix.SIGTERM, 10 * time.Second}, kill}
}

// take takes the step and reports whether the process has ended.
func (step endStep) take(ctx context.Context, p process.Process) (ended bool, err error) {
	err = p.Signal(step.signal)
	if errors.Is(err, os.ErrProcessDone) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return p.Wait(ctx, step.wait)
}

// peerPID returns the process at the other end of a connected Unix socket: the one that listened, not one that it passed the socket to.
func peerPID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, os.NewSyscallError("getsockopt SO_PEERCRED", err)
	}
	return int(cred.Pid), nil
}
