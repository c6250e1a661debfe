//go:build unix

package limits

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"

	"swop/config"
	"swop/internal/limits/continuation"
	"swop/internal/session/supervise"
)

// round is a codex exec that is to run.
type round struct {
	number int // from 0
	args   []string
	env    config.Env
}

// outcome is how one has ended.
type outcome struct {
	status int
	began  time.Time
	watch  *continuation.Watch
}

// leftOpen is how long what codex has left may still write to its output.
const leftOpen = time.Second

// run runs a codex exec as if it had been exec'd, and watches the stream on which it names its session. Its standard input is ours in the
// first round, and empty in those that follow.
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
	var last syscall.WaitStatus
	start := func() (supervise.Child, error) {
		c, err := supervise.StartWith(x.Shim(), append([]string{"codex", "exec"}, r.args...), r.env, streams)
		_ = write.Close()
		wait := c.Wait
		c.Wait = func() (syscall.WaitStatus, error) {
			status, err := wait()
			last = status
			return status, err
		}
		return c, err
	}
	copied := make(chan error, 1)
	go func() { copied <- o.watch.Copy(read) }()
	o.status, err = supervise.Run(start, func() {
		_ = read.SetReadDeadline(time.Now().Add(leftOpen)) // a pipe has one
		<-copied
		if last.Signaled() { // as this process does then
			_ = o.watch.Release()
		}
	})
	return o, err
}

// output returns what the real codex prints with these arguments, under the account.
func (x *execution) output(ctx context.Context, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, x.asker.timeout)
	defer cancel()
	path, args, env := x.real.Launch(x.Places, append([]string{"codex"}, args...), x.InAccount(x.current), x.Settings)
	cmd := exec.CommandContext(ctx, path)
	cmd.Args, cmd.Env = args, env
	text, err := cmd.Output()
	return string(text), err
}
