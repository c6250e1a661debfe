// Package responses plays OpenAI's Responses API on loopback, so that the real Codex CLI can be tested offline.
//
// It knows what codex asks of a custom model provider: a POST to /v1/responses, answered by server-sent events. Every
// request is recorded with its bearer token, which says which account codex ran under.
package responses

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Reply is the text of the assistant's message in every answer that asks for no command.
const Reply = "hello from the test server"

// A Request is one that the server received.
type Request struct {
	Method string
	Path   string
	Bearer string // the token of the Authorization header, "" without one
	Body   []byte
	Socket bool // it came by a WebSocket
}

// A Server answers codex until it is closed. Its methods may be called at any time, from any goroutine.
type Server struct {
	http   *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	requests []Request
	taken    map[int]bool  // which of them Turn has handed out
	changed  chan struct{} // closed and renewed at every request
	held     chan struct{} // nil, or open while answers are held
	calls    []string      // shell commands to ask codex for, one an answer
	refusals map[string]Refusal
}

// Start returns a server that listens on a free port of the loopback interface. The caller closes it.
func Start() *Server {
	s := &Server{closed: make(chan struct{}), changed: make(chan struct{}), taken: map[int]bool{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close ends every held answer and stops the server.
func (s *Server) Close() {
	close(s.closed)
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is where the server listens.
func (s *Server) URL() string { return s.http.URL }

// Config is the text of a config.toml with which codex talks to this server and to nothing else.
func (s *Server) Config() string {
	return fmt.Sprintf(`model = "gpt-5"
model_provider = "loopback"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.loopback]
name = "loopback"
base_url = "%s/v1"
wire_api = "responses"
requires_openai_auth = true
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`, s.http.URL)
}

// Turns are the model turns asked for so far, oldest first.
func (s *Server) Turns() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turns()
}

// Requests are those so far, whatever their paths, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Bearers are the tokens of [Server.Requests].
func (s *Server) Bearers() []string {
	var tokens []string
	for _, r := range s.Requests() {
		tokens = append(tokens, r.Bearer)
	}
	return tokens
}

// Turn returns the oldest turn not returned before that asked with text (in a prompt, or in the output of a command),
// waiting for one until ctx is done. A TUI asks more than once for one prompt: a title is a turn too.
func (s *Server) Turn(ctx context.Context, text string) (Request, error) {
	for {
		r, ok, changed := s.take(text)
		if ok {
			return r, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("no turn asks %q among %d: %w%s", text, len(s.Turns()), context.Cause(ctx), s.said())
		}
	}
}

// Hold keeps codex waiting for the answer to every turn asked for from now on, until release is called.
func (s *Server) Hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make(chan struct{})
	s.held = held
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(held)
		if s.held == held {
			s.held = nil
		}
	})
}

// Call makes the next answer ask codex to run command in a shell, but not a TUI that asks for a title, which may be first; the turn
// after it, with the output, gets an answer with [Reply]. Codex reports a command that takes long before it has ended: then it is asked to
// go on waiting, and Turn does not return such a report.
func (s *Server) Call(command string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, command)
}

func (s *Server) take(text string) (Request, bool, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range s.requests {
		if !s.taken[i] && r.turn() && r.running() == "" && r.Asks(text) {
			s.taken[i] = true
			return r, true, nil
		}
	}
	return Request{}, false, s.changed
}

// said is what codex said of the commands in its last turn, as an end of an error.
func (s *Server) said() string {
	turns := s.Turns()
	if len(turns) == 0 {
		return ""
	}
	return fmt.Sprintf("; the last reports %.4000q", turns[len(turns)-1].reports())
}

func (s *Server) turns() []Request {
	var turns []Request
	for _, r := range s.requests {
		if r.turn() {
			turns = append(turns, r)
		}
	}
	return turns
}

// Asks reports whether any text of the request's input contains text.
func (r Request) Asks(text string) bool {
	var body struct{ Input any }
	return json.Unmarshal(r.Body, &body) == nil && contains(body.Input, text)
}

// Output is the output of the commands that codex ran for the model, as this request reports it.
func (r Request) Output() string {
	var all strings.Builder
	for _, report := range r.reports() {
		_, output, ok := strings.Cut(report, "\nOutput:\n")
		if !ok {
			output = report
		}
		all.WriteString(output)
	}
	return all.String()
}

// reports are what codex says of the commands that it ran: how they ended, and a piece of the output.
func (r Request) reports() []string {
	var body struct {
		Input []struct{ Type, Output string }
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return nil
	}
	var all []string
	for _, in := range body.Input {
		if in.Type == "function_call_output" {
			all = append(all, in.Output)
		}
	}
	return all
}

// running is codex's number of the command that has not ended by its last report, "" if there is none.
func (r Request) running() string {
	reports := r.reports()
	if len(reports) == 0 {
		return ""
	}
	head, _, _ := strings.Cut(reports[len(reports)-1], "\nOutput:\n")
	_, after, _ := strings.Cut(head, "\nProcess running with session ID ")
	number, _, _ := strings.Cut(after, "\n")
	return number
}

func contains(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return contains(e, text) })
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), func(e any) bool { return contains(e, text) })
	}
	return false
}

func (r Request) turn() bool { return r.Method == http.MethodPost && r.Path == "/v1/responses" }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		s.serveSocket(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // codex went away in mid-request
	}
	req := Request{Method: r.Method, Path: r.URL.Path, Bearer: bearer(r), Body: body}
	n, held, call, refusal := s.record(req)
	switch {
	case !req.turn():
		http.NotFound(w, r)
		return
	case refusal != nil:
		refusal.send(w, n)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send(w, created(n))
	if held != nil {
		select {
		case <-held:
		case <-s.closed:
			return
		case <-r.Context().Done():
			return
		}
	}
	send(w, item(n, call, req), completed(n))
}

// bearer is the token of a request.
func bearer(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

// record keeps r and returns its number, what its answer has to wait for, the command that it is to ask for, and the refusal that it is, if
// any.
func (s *Server) record(r Request) (n int, held <-chan struct{}, call string, refusal *Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	close(s.changed)
	s.changed = make(chan struct{})
	if r.turn() {
		refusal = s.refuses(r.Bearer)
	}
	title := bytes.Contains(r.Body, []byte(`\"thread_source\":\"thread_title\"`))
	if r.turn() && refusal == nil && len(s.calls) > 0 && !title {
		call, s.calls = s.calls[0], s.calls[1:]
	}
	return len(s.requests), s.held, call, refusal
}
