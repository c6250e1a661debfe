//go:build unix

package appserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coder/websocket/wsjson"

	"swop/internal/account/process"
	"swop/internal/disk"
)

// busy says in words why the server p must not be stopped without asking, "" if it may be. A command of a turn that is over counts too: codex keeps it
// as a background terminal, and it dies with the server. A server that does not answer hangs, or its release speaks another protocol.
func busy(t process.Table, p process.Process, codexHome string) string {
	if command, ok := t.TurnCommand(p); ok {
		return fmt.Sprintf("runs %v", command)
	}
	if p.IsUpdater() {
		return ""
	}
	turns, err := runningTurns(filepath.Join(codexHome, "app-server-control", "app-server-control.sock"), p.PID)
	switch {
	case err != nil && mayHaveSession(p):
		return "does not answer and has a session open"
	case turns > 0:
		return "runs a turn"
	}
	return ""
}

// mayHaveSession reports whether p may have a session loaded, idle or not: then it has the thread's lock (since 0.155) or its transcript
// open. It is true on a system where that cannot be seen.
func mayHaveSession(p process.Process) bool {
	if !process.DescriptorsVisible {
		return true
	}
	for _, name := range p.OpenFiles() {
		if strings.Contains(name, "/thread-writer-locks/") || strings.Contains(name, "/sessions/") {
			return true
		}
	}
	return false
}

// runningTurns returns how many threads of the server with that pid run a turn. It asks on the control socket, in the app-server's own
// protocol, the same in 0.132, 0.144.6, 0.155 and 0.169 (`codex app-server generate-json-schema`): for the loaded threads, then for each
// one's status.
func runningTurns(socket string, pid int) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), controlPatience)
	defer cancel()
	c, err := dialControl(ctx, socket, pid)
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.CloseNow() }() // all is answered
	if err := c.hello(ctx); err != nil {
		return 0, err
	}
	threads, err := c.loadedThreads(ctx)
	if err != nil {
		return 0, err
	}
	active := 0
	for _, id := range threads {
		running, err := c.threadRuns(ctx, id)
		if err != nil {
			return 0, err
		}
		if running {
			active++
		}
	}
	return active, nil
}

func (c *controlConn) hello(ctx context.Context) error {
	client := map[string]any{"clientInfo": map[string]any{"name": "swop", "version": "1"}}
	if err := c.call(ctx, "initialize", client, nil); err != nil {
		return err
	}
	return wsjson.Write(ctx, c.Conn, map[string]any{"method": "initialized"})
}

// loadedThreads returns the ids of the threads in the server's memory, also of those that are not saved.
func (c *controlConn) loadedThreads(ctx context.Context) (ids []string, err error) {
	for params := map[string]any{}; ; {
		var page struct {
			Data       []string
			NextCursor string
		}
		if err := c.call(ctx, "thread/loaded/list", params, &page); err != nil {
			return nil, err
		}
		ids = append(ids, page.Data...)
		if page.NextCursor == "" {
			return ids, nil
		}
		params["cursor"] = page.NextCursor
	}
}

// errRefused means that the server answered a request with an error.
var errRefused = errors.New("refused")

// threadRuns reports whether a turn runs in the thread: then its status is "active". An unknown status counts as running, and so does a thread that
// the server refuses to read, as codex 0.169 does ("rollout … is empty") while it creates the first turn's transcript.
func (c *controlConn) threadRuns(ctx context.Context, id string) (bool, error) {
	var read struct {
		Thread struct{ Status struct{ Type string } }
	}
	err := c.call(ctx, "thread/read", map[string]any{"threadId": id}, &read)
	return !slices.Contains([]string{"idle", "notLoaded", "systemError"}, read.Thread.Status.Type), disk.Ignore(err, errRefused)
}

// call sends a request and reads until its answer. It stores the answer's result in result, a pointer, unless that is nil.
func (c *controlConn) call(ctx context.Context, method string, params, result any) error {
	c.calls++
	if err := wsjson.Write(ctx, c.Conn, map[string]any{"id": c.calls, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		var answer struct {
			ID, Result json.RawMessage
			Method     string
			Error      struct{ Message string }
		}
		if err := wsjson.Read(ctx, c.Conn, &answer); err != nil {
			return err
		}
		switch {
		case answer.Method != "" || string(answer.ID) != fmt.Sprint(c.calls): // a notification, or a request to clients
		case answer.Result == nil:
			return fmt.Errorf("%s: %w: %q", method, errRefused, answer.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(answer.Result, result)
		}
	}
}
