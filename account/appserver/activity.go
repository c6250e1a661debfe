//go:build unix

package appserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"swop/account/process"
	"swop/disk"
)

// isIdle reports whether the server p is idle, so that it can be asked to stop, and in words why it must not be stopped without asking, "" if it
// may be. A command of a turn that is over counts too: codex keeps it as a background terminal, and it dies with the server. One that does not
// answer hangs, or its release speaks another protocol.
func isIdle(t process.Table, p process.Process, codexHome string) (idle bool, why string) {
	if command, ok := t.TurnCommand(p); ok {
		return false, fmt.Sprintf("runs %v", command)
	}
	if p.IsUpdater() {
		return true, ""
	}
	turns, err := runningTurns(filepath.Join(codexHome, "app-server-control", "app-server-control.sock"), p.PID)
	switch {
	case err != nil && mayHaveSession(p):
		return false, "does not answer and has a session open"
	case err != nil:
		return false, ""
	case turns > 0:
		return false, "runs a turn"
	}
	return true, ""
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
	c, err := dialControl(socket, pid)
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.CloseNow() }() // all is answered
	if err := c.hello(); err != nil {
		return 0, err
	}
	threads, err := c.loadedThreads()
	if err != nil {
		return 0, err
	}
	active := 0
	for _, id := range threads {
		running, err := c.threadRuns(id)
		if err != nil {
			return 0, err
		}
		if running {
			active++
		}
	}
	return active, nil
}

func (c *controlConn) hello() error {
	client := map[string]any{"clientInfo": map[string]any{"name": "swop", "version": "1"}}
	if err := c.call("initialize", client, nil); err != nil {
		return err
	}
	return c.send(map[string]any{"method": "initialized"})
}

// loadedThreads returns the ids of the threads in the server's memory, also of those that are not saved.
func (c *controlConn) loadedThreads() ([]string, error) {
	var ids []string
	params := map[string]any{}
	for range maxPages {
		var page struct {
			Data       []string
			NextCursor string
		}
		if err := c.call("thread/loaded/list", params, &page); err != nil {
			return nil, err
		}
		ids = append(ids, page.Data...)
		if page.NextCursor == "" {
			return ids, nil
		}
		params["cursor"] = page.NextCursor
	}
	return nil, fmt.Errorf("thread/loaded/list: over %d pages", maxPages)
}

// maxPages guards against a server whose list never ends.
const maxPages = 100

// errRefused means that the server answered a request with an error.
var errRefused = errors.New("refused")

// threadRuns reports whether a turn runs in the thread. An unknown status counts as running, and so does a thread that the server refuses
// to read, as codex 0.169 does ("rollout … is empty") while it creates the first turn's transcript.
func (c *controlConn) threadRuns(id string) (bool, error) {
	status, err := c.threadStatus(id)
	return !slices.Contains([]string{"idle", "notLoaded", "systemError"}, status), disk.Ignore(err, errRefused)
}

// threadStatus returns the thread's status in the server's words: "active" while a turn runs.
func (c *controlConn) threadStatus(id string) (string, error) {
	var read struct {
		Thread struct{ Status struct{ Type string } }
	}
	err := c.call("thread/read", map[string]any{"threadId": id}, &read)
	return read.Thread.Status.Type, err
}

// call sends a request and reads until its answer. It stores the answer's result in result, a pointer, unless that is nil.
func (c *controlConn) call(method string, params, result any) error {
	c.calls++
	if err := c.send(map[string]any{"id": c.calls, "method": method, "params": params}); err != nil {
		return err
	}
	for range maxMessages {
		text, err := c.receive()
		if err != nil {
			return err
		}
		var answer struct {
			ID, Result json.RawMessage
			Method     string
			Error      struct{ Message string }
		}
		if json.Unmarshal(text, &answer) != nil || answer.Method != "" || string(answer.ID) != fmt.Sprint(c.calls) {
			continue // a notification, or a request to clients
		}
		if answer.Result == nil {
			return fmt.Errorf("%s: %w: %q", method, errRefused, answer.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	}
	return fmt.Errorf("%s: no answer in %d messages", method, maxMessages)
}

// maxMessages limits how much a busy server may send before its answer.
const maxMessages = 10_000
