//go:build unix

package limits

import (
	"context"
	"os"
	"time"

	"swop/config"
	"swop/internal/limits/continuation"
	"swop/internal/limits/usage"
	"swop/internal/session"
)

// round is a codex exec that is to run.
type round struct {
	number int // from 0
	args   []string
	env    config.Env
}

// outcome is the end of a round.
type outcome struct {
	status int
	began  time.Time
	watch  *continuation.Watch
}

// leftOpen is how long children of an ended codex may still write to its output.
const leftOpen = time.Second

// run runs a codex exec as if swop had exec'd it, and watches the stream on which codex names its session. Its standard input is swop's in
// the first round, and empty in later ones.
func (x *execution) run(r round) (outcome, error) {
	o := outcome{began: x.Now(), watch: &continuation.Watch{Out: x.Stderr, Events: continuation.PrintsEvents(x.args)}}
	streams, watched := [3]uintptr{0, 1, 2}, 2
	if o.watch.Events {
		o.watch.Out, watched = x.Stdout, 1
	}
	read, write, err := os.Pipe()
	if err != nil {
		return o, err
	}
	defer read.Close()
	streams[watched] = write.Fd()
	if r.number > 0 {
		null, err := os.Open(os.DevNull)
		if err != nil {
			return o, err
		}
		defer null.Close()
		streams[0] = null.Fd()
	}
	copied := make(chan error, 1)
	go func() { copied <- o.watch.Copy(read) }()
	codex := session.Call(x.Shim(), r.env, append([]string{"exec"}, r.args...)...)
	o.status, err = codex.Supervise(streams, func() { _ = write.Close() }, func() {
		_ = read.SetReadDeadline(time.Now().Add(leftOpen)) // a pipe has one
		<-copied
	})
	return o, err
}

// output returns the output of the real codex with these arguments, without an account.
func (x *execution) output(ctx context.Context, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, x.asker.timeout)
	defer cancel()
	const most = 1 << 20 // of a help
	return session.Asking(x.Invocation, x.real, x.Settings, args...).Output(ctx, most)
}

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
