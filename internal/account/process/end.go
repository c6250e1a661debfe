//go:build unix

package process

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Signal signals the process; of an account's updater, which leads its group, the whole group, because it may run an installer. It fails
// with os.ErrProcessDone if the process has ended, even when its pid was reused: the system's handle is taken before the start time is
// compared.
func (p Process) Signal(s unix.Signal) error {
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return err
	}
	defer func() { _ = handle.Release() }() // it was only signalled
	now, err := p.Current()
	switch {
	case err != nil:
		return err
	case now.IsServer() && now.IsUpdater():
		return os.NewSyscallError("kill", unix.Kill(-p.PID, s))
	}
	return handle.Signal(s)
}

// watchPause is the time between two looks at a process, whose end is no event.
const watchPause = 20 * time.Millisecond

// Wait reports whether the process ended within d. The error is ctx's, if that ended first.
func (p Process) Wait(ctx context.Context, d time.Duration) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		if p.hasEnded() {
			return true, ctx.Err()
		}
		select {
		case <-limited.Done():
			return false, ctx.Err()
		case <-time.After(watchPause):
		}
	}
}
