//go:build unix

package codexsandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"sync"
	"syscall"
	"time"
)

// drainTime is how long a stream may bring nothing until it counts as ended, once no known process of the command is alive: one that
// escaped may hold it open, and what is in the pipe is read at once.
const drainTime = 2 * time.Second

// capture runs the call in a new session and keeps what it writes.
func (c *Call) capture(ctx context.Context, defaults [2]io.Writer) (Run, error) {
	streams, err := openStreams(defaults, c.request.Stdout, c.request.Stderr)
	if err != nil {
		return Run{}, err
	}
	stdin, closeInput, err := openInput(c.request.Stdin)
	if err != nil {
		streams.close()
		return Run{}, err
	}
	cmd := c.command()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, streams[0].write, streams[1].write
	run, err := c.wait(ctx, cmd)
	closeInput()
	if cmd.Process != nil {
		// Its pid is not reused yet: the kernel keeps it while its session has a member, and uses all other pids first.
		err = errors.Join(err, endTree(cmd.Process.Pid))
	}
	for _, s := range streams {
		s.end()
	}
	for _, s := range streams {
		s.drain(func() bool { return run.Stopped != "" || ctx.Err() != nil })
	}
	run.Stdout, run.Stderr = streams[0].bytes(), streams[1].bytes()
	return run, errors.Join(err, streams[0].mirror.failed(), streams[1].mirror.failed())
}

// stream is one output stream of a running command.
type stream struct {
	read, write *os.File
	done        chan struct{} // closed at its end
	mirror      *mirror       // nil for none

	mu   sync.Mutex
	kept bytes.Buffer
	over bool // no known process of the command is alive
}

type streams [2]*stream

// openStreams returns the pipes, and starts to read them.
func openStreams(defaults [2]io.Writer, asked ...Stream) (streams, error) {
	var all streams
	for i := range all {
		read, write, err := os.Pipe()
		if err != nil {
			all.close()
			return all, err
		}
		all[i] = &stream{read: read, write: write, done: make(chan struct{}), mirror: newMirror(asked[i], defaults[i])}
	}
	if all[0].mirror != nil && all[1].mirror != nil && same(all[0].mirror.to, all[1].mirror.to) {
		all[1].mirror = all[0].mirror // so one goroutine at a time writes to it
	}
	for _, s := range all {
		go s.copy()
	}
	return all, nil
}

// copy reads the stream until its end, and mirrors each piece at once.
func (s *stream) copy() {
	defer close(s.done)
	buf := make([]byte, 64<<10)
	for {
		s.limit()
		n, err := s.read.Read(buf)
		s.mu.Lock()
		s.kept.Write(buf[:n])
		s.mu.Unlock()
		s.mirror.write(buf[:n])
		if err != nil {
			return
		}
	}
}

// limit lets the next read fail after drainTime, if the command is over.
func (s *stream) limit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		_ = s.read.SetReadDeadline(time.Now().Add(drainTime)) // every pipe of os.Pipe has deadlines
	}
}

func (s *stream) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.kept.Bytes()) // its goroutine may wait for a mirror
}

// close closes streams that no command has.
func (all streams) close() {
	for _, s := range all {
		if s != nil {
			s.write.Close()
			s.read.Close()
		}
	}
}

// end tells the stream that no known process of the command is alive.
func (s *stream) end() {
	s.write.Close()
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.limit() // a read may be waiting already
}

// drain waits until all is read and mirrored, or nothing came for drainTime because a process that escaped holds the pipe open. It waits for a
// mirror that blocks, unless the run was stopped.
func (s *stream) drain(stopped func() bool) {
	defer s.read.Close()
	for {
		select {
		case <-s.done:
			return
		case <-time.After(drainTime):
			if stopped() {
				return
			}
		}
	}
}

// mirror is a writer that gets each piece of a stream at once.
type mirror struct {
	mu  sync.Mutex
	to  io.Writer
	err error
}

func newMirror(asked Stream, otherwise io.Writer) *mirror {
	to := cmp.Or(asked.Mirror, otherwise)
	if to == nil || asked.Quiet {
		return nil
	}
	return &mirror{to: to}
}

// write passes data on, until the writer fails for the first time.
func (m *mirror) write(data []byte) {
	if m == nil || len(data) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		_, m.err = m.to.Write(data)
	}
}

func (m *mirror) failed() error {
	if m == nil || !m.mu.TryLock() { // one that blocks has not failed
		return nil
	}
	defer m.mu.Unlock()
	return m.err
}

// same reports whether two writers are the same; writers that cannot be compared are not.
func same(a, b io.Writer) bool {
	return reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

// openInput returns what a command reads, nil for nothing, and a function that ends the copying to it: at once, or if the reader waits, at
// its next byte. With os/exec's own pipe Wait would wait for a reader that does not end, even with a WaitDelay.
func openInput(from io.Reader) (stdin io.Reader, end func(), err error) {
	if _, isFile := from.(*os.File); isFile || from == nil {
		return from, func() {}, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	go func() {
		_, _ = io.Copy(write, from) // the command need not read all
		write.Close()
	}()
	return read, func() { read.Close(); write.Close() }, nil
}
