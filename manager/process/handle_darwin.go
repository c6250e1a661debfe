package process

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// Handle is a process to signal and to wait for. It is known by its pid and its start time, which is compared before each signal.
// Unproven: it was built, and never run on a Mac.
type Handle struct{ Process }

// Open returns a handle for p as it is now. It fails with os.ErrProcessDone if p has ended.
func (p Process) Open() (Handle, error) {
	now, err := p.reread()
	return Handle{now}, err
}

// Close has nothing to release here.
func (h Handle) Close() {}

// Signal signals the process alone. It fails with os.ErrProcessDone if the process has ended.
func (h Handle) Signal(s unix.Signal) error { return h.kill(s) }

// Wait reports whether the process ended within d. The error is ctx's, if that ended first.
func (h Handle) Wait(ctx context.Context, d time.Duration) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return h.watch(limited), ctx.Err()
}
