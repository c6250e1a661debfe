//go:build unix

package codexsandbox

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// drainTime is how long a stream stays open after the end of the command, where a process that the command left holds it, and how long a
// mirror may still take after the command was stopped.
const drainTime = 2 * time.Second

// capture runs the call in a new session and keeps what it writes.
func (c *Call) capture(ctx context.Context, defaults [2]io.Writer) (Run, error) {
	mirroring := new(sync.Mutex) // one writer may be the mirror of both streams
	stdout, stderr := newStream(c.request.Stdout, defaults[0], mirroring), newStream(c.request.Stderr, defaults[1], mirroring)
	var cmd *exec.Cmd
	run, err := c.run(ctx, func(made *exec.Cmd) error {
		cmd = made
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdout, stderr, drainTime
		return pass(c.request.Stdin, cmd)
	})
	if cmd.Process != nil {
		// Its pid is not reused yet: the kernel keeps it while its session has a member, and uses all other pids first.
		err = errors.Join(err, endTree(cmd.Process.Pid))
	}
	if run.Stopped != "" {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		ctx = limited
	}
	run.Stdout, run.Stderr = stdout.kept, stderr.kept
	return run, errors.Join(err, stdout.end(ctx), stderr.end(ctx))
}

// pass makes the command read from the reader. The end of the command does not wait for that of the reader.
func pass(from io.Reader, cmd *exec.Cmd) error {
	if _, isFile := from.(*os.File); isFile || from == nil {
		cmd.Stdin = from
		return nil
	}
	stdin, err := cmd.StdinPipe()
	if err == nil {
		go func() {
			_, _ = io.Copy(stdin, from) // the command need not read all
			stdin.Close()
		}()
	}
	return err
}

// stream keeps an output stream of a command. Its mirror follows in a goroutine, so that writing to the stream never waits or fails.
type stream struct {
	mu    sync.Mutex
	grown *sync.Cond
	kept  []byte
	ended bool
	done  chan error // gets the mirror's error at the end; nil without a mirror
}

// newStream returns a stream, which locks mirroring while it writes to its mirror.
func newStream(asked Stream, otherwise io.Writer, mirroring *sync.Mutex) *stream {
	s := new(stream)
	s.grown = sync.NewCond(&s.mu)
	if to := cmp.Or(asked.Mirror, otherwise); to != nil && !asked.Quiet {
		s.done = make(chan error, 1)
		go func() { s.done <- s.copyTo(to, mirroring) }()
	}
	return s
}

func (s *stream) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, data...)
	s.grown.Broadcast()
	return len(data), nil
}

// copyTo writes each piece of the stream to the mirror as it comes, until the stream ends or the mirror fails.
func (s *stream) copyTo(mirror io.Writer, mirroring *sync.Mutex) (err error) {
	for at := 0; err == nil; {
		s.mu.Lock()
		for len(s.kept) == at && !s.ended {
			s.grown.Wait()
		}
		piece := s.kept[at:]
		s.mu.Unlock()
		if len(piece) == 0 {
			return nil
		}
		at += len(piece)
		mirroring.Lock()
		_, err = mirror.Write(piece)
		mirroring.Unlock()
	}
	return err
}

// end waits until the mirror has all, at most until ctx ends, and returns its error.
func (s *stream) end(ctx context.Context) error {
	s.mu.Lock()
	s.ended = true
	s.grown.Broadcast()
	s.mu.Unlock()
	if s.done == nil {
		return nil
	}
	select {
	case err := <-s.done:
		return err
	case <-ctx.Done():
		return nil
	}
}
