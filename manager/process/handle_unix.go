//go:build linux || darwin

package process

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// watchPause is the time between two looks at a process whose end is no event.
const watchPause = 20 * time.Millisecond

// kill signals p by its pid, after it has compared the start time. It fails with os.ErrProcessDone if p has ended. Between the
// comparison and the signal p could still end and its pid be reused; that takes all other pids to be used once within microseconds.
func (p Process) kill(s unix.Signal) error {
	if _, err := p.reread(); err != nil {
		return err
	}
	return doneOr("kill", unix.Kill(p.PID, s))
}

// watch reports whether p ended before ctx did, by looking again and again.
func (p Process) watch(ctx context.Context) bool {
	for {
		if _, err := p.reread(); errors.Is(err, os.ErrProcessDone) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(watchPause):
		}
	}
}

// doneOr returns the error of a system call, and os.ErrProcessDone where the call found no such process.
func doneOr(call string, err error) error {
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	return os.NewSyscallError(call, err)
}
