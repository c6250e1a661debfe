//go:build unix

package limits

import (
	"context"
	"time"

	"swop/internal/limits/usage"
)

// How long after a reset codex is started, and how long this process sleeps before it asks the clock again: a clock goes on while a machine
// is suspended, a timer does not.
const (
	resetGrace = 5 * time.Second
	longestNap = time.Minute
)

// wait waits until the account's reset has passed. The error is a [verb.Exited] if a signal came.
func (x *execution) wait(ctx context.Context, until time.Time) error {
	until = until.Add(resetGrace)
	x.Say("%q is at its limit: waiting until its reset %s; the session goes on then", x.current.Meta.Label, usage.When(until, x.Now()))
	for left := until.Sub(x.Now()); left > 0; left = until.Sub(x.Now()) {
		select {
		case <-time.After(min(left, longestNap)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
