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
	"sync"
	"syscall"
	"time"
)

// drainTime is how long the streams stay open after the end of the command, where a process that it left holds them.
const drainTime = 2 * time.Second

// capture runs the call in a new session and keeps what it writes.
func (c *Call) capture(ctx context.Context, defaults [2]io.Writer) (Run, error) {
	var kept [2]bytes.Buffer
	m := &mirroring{}
	var cmd *exec.Cmd
	run, err := c.run(ctx, func(made *exec.Cmd) error {
		cmd = made
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Stdout = m.writer(c.request.Stdout, &kept[0], defaults[0])
		cmd.Stderr = m.writer(c.request.Stderr, &kept[1], defaults[1])
		cmd.WaitDelay = drainTime
		return pass(c.request.Stdin, cmd)
	})
	if cmd.Process != nil {
		err = errors.Join(err, endTree(cmd.Process.Pid)) // what the command left; its number is not used again while there is any
	}
	run.Stdout, run.Stderr = kept[0].Bytes(), kept[1].Bytes()
	return run, errors.Join(err, m.failed)
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

// mirroring writes to the mirrors, one at a time: one writer may be that of both streams. After an error they get no more.
type mirroring struct {
	mu     sync.Mutex
	failed error
}

// writer returns what a stream is written to: kept, and its mirror, if it has one.
func (m *mirroring) writer(s Stream, kept, otherwise io.Writer) io.Writer {
	mirror := cmp.Or(s.Mirror, otherwise)
	if mirror == nil || s.Quiet {
		return kept
	}
	return io.MultiWriter(kept, writerFunc(func(data []byte) (int, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.failed == nil {
			_, m.failed = mirror.Write(data)
		}
		return len(data), nil
	}))
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }
