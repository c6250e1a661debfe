//go:build linux || darwin

package appserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"swop/manager/process"
)

// activity is what a server does, the weakest claim to be left alone first.
type activity uint8

const (
	idle   activity = iota
	silent          // it does not answer; hung, or of a release that speaks otherwise
	busy
)

// activityOf says what the server p does, and in words why it must not be stopped without asking, "" if it may. A command of a turn
// counts, though the turn be over: codex keeps it as a background terminal, and it dies with the server.
func activityOf(t process.ProcessTable, p process.Process, codexHome string) (activity, string) {
	for _, q := range t {
		if q.Env.Thread != "" && slices.ContainsFunc(t.Above(q.PID), func(a process.Process) bool { return a.PID == p.PID }) {
			return busy, fmt.Sprintf("runs %v", q)
		}
	}
	if p.IsUpdater() {
		return idle, ""
	}
	turns, err := runningTurns(filepath.Join(codexHome, "app-server-control", "app-server-control.sock"), p.PID)
	switch {
	case err != nil && mayHaveSession(p):
		return silent, "does not answer and has a session open"
	case err != nil:
		return silent, ""
	case turns > 0:
		return busy, "runs a turn"
	}
	return idle, ""
}

// mayHaveSession says whether p has a session loaded, idle or not: it then has the thread's lock (since 0.155) or its transcript
// open. Where that cannot be seen it may.
func mayHaveSession(p process.Process) bool {
	if !process.DescriptorsVisible {
		return true
	}
	for _, name := range p.Open() {
		if strings.Contains(name, "/thread-writer-locks/") || strings.Contains(name, "/sessions/") {
			return true
		}
	}
	return false
}

// runningTurns asks the server with that pid on its control socket how many of its threads run a turn. It is the app-server's
// own protocol, the same in 0.132, 0.144.6, 0.155 and 0.169 (`codex app-server generate-json-schema`): the loaded threads, then each one's
// status.
func runningTurns(socket string, pid int) (int, error) {
	c, err := dialControl(socket, pid)
	if err != nil {
		return 0, err
	}
	defer c.close()
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

// loadedThreads returns the ids of the threads in the server's memory, an unsaved one's too.
func (c *controlConn) loadedThreads() ([]string, error) {
	var ids []string
	params := map[string]any{}
	for range maxPages {
		var page struct {
			Data       []string `json:"data"`
			NextCursor string   `json:"nextCursor"`
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

// maxPages bounds a server that never ends its list.
const maxPages = 100

// errRefused means that the server answered a request with an error.
var errRefused = errors.New("refused")

// threadRuns says whether a turn runs in the thread. A status that is not known counts as running, and so does a thread that cannot be
// read: codex 0.169 refuses it ("rollout … is empty") while the first turn's transcript is made.
func (c *controlConn) threadRuns(id string) (bool, error) {
	status, err := c.threadStatus(id)
	switch {
	case errors.Is(err, errRefused):
		return true, nil
	case err != nil:
		return false, err
	}
	return !slices.Contains([]string{"idle", "notLoaded", "systemError"}, status), nil
}

// threadStatus returns what the server calls the thread's status: "active" while a turn runs.
func (c *controlConn) threadStatus(id string) (string, error) {
	var read struct {
		Thread struct {
			Status struct {
				Type string `json:"type"`
			} `json:"status"`
		} `json:"thread"`
	}
	err := c.call("thread/read", map[string]any{"threadId": id}, &read)
	return read.Thread.Status.Type, err
}

// call sends a request and reads until its answer, whose result goes into result, a pointer, or nowhere if that is nil.
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
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  struct {
				Message string `json:"message"`
			} `json:"error"`
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

// maxMessages bounds what a busy server may tell its clients before it answers.
const maxMessages = 10_000
