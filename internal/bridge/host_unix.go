//go:build unix

package bridge

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/internal/say"
)

// A host command sends frames to its caller: one byte for the kind, four for the length, and as many bytes.
const (
	frameOutput = 'o'
	frameErrors = 'e'
	frameStatus = 's' // the exit status, four bytes
	frameRefuse = 'r' // why the command does not run
)

const maxFrame = 64 << 10

// frames writes frames of one kind. Several share a connection, and its mutex.
type frames struct {
	mu   *sync.Mutex
	conn io.Writer
	kind byte
}

func (f frames) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for part := range slices.Chunk(p, maxFrame) {
		if err := writeFrame(f.conn, f.kind, part); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func writeFrame(w io.Writer, kind byte, text []byte) error {
	frame := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(text)))
	_, err := w.Write(append(frame, text...))
	return err
}

func readFrame(r io.Reader) (kind byte, text []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, errors.New("a frame is too long")
	}
	text = make([]byte, n)
	_, err = io.ReadFull(r, text)
	return head[0], text, err
}

// runHost runs a host command for the caller behind conn, and ends it when the caller goes.
func (s *Session) runHost(conn net.Conn, q question) {
	args, dir, err := s.hostCommand(q)
	e := event{Bridge: "commands", Method: "RUN", Path: strings.Join(append([]string{q.Host}, q.Args...), " "), Verdict: allowed}
	if err == nil {
		e.Status, err = s.hostRun(conn, args, dir)
	}
	if err != nil {
		e.Verdict, e.Reason = refused, err.Error()
		_ = writeFrame(conn, frameRefuse, []byte(err.Error())) // the caller may be gone
	}
	s.log(e)
}

// hostCommand returns the command line to run, and its directory.
func (s *Session) hostCommand(q question) (args []string, dir string, err error) {
	at := slices.IndexFunc(s.options.Commands, func(c config.HostCommand) bool { return c.Name == q.Host })
	if at < 0 {
		return nil, "", fmt.Errorf("there is no host command %q; ask the user to add it to [bridge.commands]", q.Host)
	}
	c := s.options.Commands[at]
	if len(q.Args) > 0 {
		return nil, "", fmt.Errorf("%s takes no arguments: [bridge.commands] has them all", c.Name)
	}
	return c.Run, c.Dir, nil
}

// hostRun runs a command, sends its exit status, and returns that. The command has no terminal, no standard input and no secret of a
// bridge. When the caller goes, it ends with all processes of its session. The error is of one that could not be started.
func (s *Session) hostRun(conn net.Conn, args []string, dir string) (int, error) {
	links, to := disk.Links(dir)
	if _, err := os.Stat(dir); err != nil { // Start would name the program
		return 0, err
	}
	for _, written := range account.Written(s.options.Places.Home) {
		isBelow := func(at string) bool { return at != written && config.Within(at, written) }
		if to == "" || slices.ContainsFunc(append(links, to), isBelow) {
			return 0, disk.Unsafe("%s: a session can put another directory there: name %s", say.Name(dir), say.Name(written))
		}
	}
	life, end := context.WithCancel(context.Background())
	defer end()
	var mu sync.Mutex
	env := account.Outside(s.options.Env, s.options.Places)
	path, err := account.OnPath(args[0], env, s.options.Places)
	if err != nil {
		return 0, err
	}
	program := process.Program{Path: path, Args: args, Env: env.Without(s.options.Secrets...), Dir: to}
	cmd, rest := process.Command(life, program, syscall.SIGTERM)
	cmd.Stdout, cmd.Stderr = frames{&mu, conn, frameOutput}, frames{&mu, conn, frameErrors}
	cmd.WaitDelay = hostGrace
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() {
		_, _ = io.Copy(io.Discard, conn) // until the caller is gone
		end()
	}()
	_ = cmd.Wait() // its state says how it ended
	if life.Err() != nil {
		rest(syscall.SIGKILL)
	}
	status := process.Status(cmd.ProcessState)
	mu.Lock()
	defer mu.Unlock()
	_ = writeFrame(conn, frameStatus, binary.BigEndian.AppendUint32(nil, uint32(status))) // the caller may be gone
	return status, nil
}

// hostGrace is how long a command may take to end after SIGTERM.
const hostGrace = 5 * time.Second

// RunHost runs a host command of the session with this directory, and returns its exit status.
func RunHost(dir, name string, args []string, stdout, stderr io.Writer) (int, error) {
	conn, err := dial(dir)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(question{Host: name, Args: args}); err != nil {
		return 0, err
	}
	return follow(conn, stdout, stderr)
}

func follow(conn io.Reader, stdout, stderr io.Writer) (int, error) {
	for {
		kind, text, err := readFrame(conn)
		switch {
		case err != nil:
			return 0, errors.New("the session ended while the command ran")
		case kind == frameOutput:
			_, err = stdout.Write(text)
		case kind == frameErrors:
			_, err = stderr.Write(text)
		case kind == frameRefuse:
			return 0, fmt.Errorf("%w: %s", ErrRefused, text)
		case kind == frameStatus && len(text) == 4:
			return int(binary.BigEndian.Uint32(text)), nil
		}
		if err != nil && !errors.Is(err, os.ErrClosed) {
			return 0, err
		}
	}
}
