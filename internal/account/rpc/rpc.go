// Package rpc asks a codex app-server that it starts, over its standard streams.
package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"swop/internal/account"
	"swop/internal/account/process"
	"swop/internal/disk/sys"
)

// A Talker starts a codex, initializes the conversation, and calls ask. It returns the error of ask, or that of ctx, which bounds the time.
// It kills no codex, which may be renewing its login: as long as one goes on, the account's next one waits.
type Talker func(ctx context.Context, ask func(*Conversation) error) error

// The ways in which codex gives no answer.
var (
	ErrEnded      = errors.New("codex ended")
	ErrUnreadable = errors.New("codex's answer cannot be read")
	ErrExpired    = errors.New("the login has to be renewed by a session")
)

// Arguments returns the arguments of a codex that is asked, with its databases in a directory: parts that no question needs are off.
func Arguments(databases string) []string {
	text, _ := json.Marshal(databases) // a string; TOML reads JSON's escapes
	return []string{
		"-c", "sqlite_home=" + string(text), "-c", "features.plugins=false", "-c", "features.apps=false", "-c", "features.remote_plugin=false",
		"-c", "analytics.enabled=false", "app-server",
	}
}

// Talk is the [Talker] of the codex p, which starts with the first call, and has a lock until it ends: a refresh token works once.
func Talk(ctx context.Context, p process.Program, held *os.File, ask func(*Conversation) error) error {
	p.Files, p.Dir = []*os.File{held}, filepath.VolumeName(p.Path)+string(filepath.Separator) // which has no project's configuration
	c := &Conversation{}
	c.cmd, _ = process.Command(ctx, p, 0)
	c.cmd.Cancel = func() error { return errors.Join(c.stdin.Close(), c.stdout.Close()) } // which ends the conversation
	err := ask(c)
	switch {
	case c.in == nil: // it was not started
		return err
	case ctx.Err() != nil:
		err = ctx.Err()
	default:
		_ = c.stdin.Close() // codex may have gone
		defer time.AfterFunc(endTime, func() { _ = c.stdout.Close() }).Stop()
		_, _ = io.Copy(io.Discard, c.stdout) // so that codex can end, whatever it still writes
	}
	go c.cmd.Wait() //nolint:errcheck // how it ends says nothing
	return err
}

// Hold waits for the lock on a file.
func Hold(ctx context.Context, file string) (*os.File, error) {
	for {
		l, err := account.Flock(file, sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC|sys.O_CREAT)
		if !errors.Is(err, account.ErrInUse) {
			return os.NewFile(uintptr(l.Fd), file), err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// endTime is how long codex may take to end by itself after its answer. It takes about 20 ms; while a request runs 0.59 to 0.169 ignore the
// end of their input.
const endTime = 2 * time.Second

// Conversation is one with a codex. Messages are JSON, one a line.
type Conversation struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	in     *bufio.Scanner
	asked  int
}

// begin starts codex, and initializes the conversation.
func (c *Conversation) begin() error {
	stdin, err := c.cmd.StdinPipe()
	stdout, err2 := c.cmd.StdoutPipe()
	c.stdin, c.stdout = stdin, stdout
	if err = errors.Join(err, err2, c.cmd.Start()); err != nil {
		return err
	}
	c.in = bufio.NewScanner(stdout)
	c.in.Buffer(nil, maxLine)
	_, err = c.Call("initialize", json.RawMessage(`{"clientInfo":{"name":"swop","title":"swop","version":"1"}}`))
	_, _ = io.WriteString(c.stdin, `{"method":"initialized"}`+"\n") // the next call tells
	return err
}

// maxLine bounds a line of codex, in bytes: an answer has about a kilobyte.
const maxLine = 1 << 20

// Call sends a request, with params unless that is nil, and reads until its answer. The error is [ErrEnded], [ErrUnreadable], or codex's
// own, an [*Error].
func (c *Conversation) Call(method string, params json.RawMessage) (result []byte, err error) {
	if c.in == nil {
		if err := c.begin(); err != nil {
			return nil, err
		}
	}
	c.asked++
	id := strconv.Itoa(c.asked)
	request, _ := json.Marshal(struct { // params is JSON
		ID     int             `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params,omitempty"`
	}{c.asked, method, params})
	if _, err := c.stdin.Write(append(request, '\n')); err != nil {
		return nil, ErrEnded
	}
	for c.in.Scan() {
		var m struct {
			ID, Result json.RawMessage
			Method     string
			Error      *Error
		}
		if json.Unmarshal(c.in.Bytes(), &m) != nil || m.Method != "" || string(m.ID) != id {
			continue // a notification, a request of codex, or a line of a wrapper
		}
		switch {
		case m.Error != nil:
			return nil, m.Error
		case len(m.Result) == 0:
			return nil, ErrUnreadable
		}
		return m.Result, nil
	}
	if errors.Is(c.in.Err(), bufio.ErrTooLong) {
		return nil, ErrUnreadable
	}
	return nil, ErrEnded
}

// Error is an error of JSON-RPC.
type Error struct {
	Code    int
	Message string // has the server's raw answer in it: swop searches it, and never shows it
}

func (*Error) Error() string { return "codex answers with an error" }
