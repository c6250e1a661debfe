//go:build unix

package bridge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"swop/config"
	"swop/internal/testhome"
	"swop/session/socket"
)

// ssh stands for a connection of OpenSSH between two machines, near and far: it passes bytes on, and can be cut.
type ssh struct {
	t         *testing.T
	near, far string // directories of the sockets
	made      atomic.Int64
	making    sync.WaitGroup // the connection, beside the test
	end       func()
	ended     chan error // what Carry returned
}

// connect makes the connection, and waits until the far side is ready.
func (c *ssh) connect() {
	c.t.Helper()
	conn, err := socket.Dial(c.near, ServedSocket)
	testhome.NoError(c.t, err)
	out, to := io.Pipe()
	c.ended = make(chan error, 1)
	go func() {
		c.ended <- Carry(c.far, "ready", conn, to)
		_ = to.Close()
	}()
	line := make([]byte, len("ready\n"))
	_, err = io.ReadFull(out, line)
	testhome.NoError(c.t, err)
	c.made.Add(1)
	go func() { _, _ = io.Copy(conn, out) }() // until it is cut
	c.end = func() { _ = conn.Close(); _ = out.Close() }
}

// cut ends the connection, once it is made.
func (c *ssh) cut() {
	c.making.Wait()
	c.end()
}

// joined serves the login of s within most, and opens a session that has it by way of ssh.
func joined(t *testing.T, s *Session, most Most) (*ssh, *Session) {
	t.Helper()
	c := &ssh{t: t, near: t.TempDir(), far: filepath.Join(t.TempDir(), "far")}
	testhome.NoError(t, os.Chmod(c.near, 0o700))
	testhome.NoError(t, s.ServeIn(c.near, most))
	c.connect()
	t.Cleanup(c.cut)
	far := open(t, func(_ *Options, l *limits) { l.wait = time.Second }, config.Bridge{Name: config.BridgeServed, Kind: config.BridgeServed, Upstream: c.far})
	far.login.proof = s.login.proof // which codex has from the file
	return c, far
}

// TestServed: the requests of another machine share one connection, and go on where it breaks, also in the middle of an answer.
func TestServed(t *testing.T) {
	release := make(chan struct{})
	up := newService(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begun")
		if r.URL.Query().Has("hold") {
			_ = http.NewResponseController(w).Flush() // what is broken off shows it
			<-release
		}
	})
	s := openChatGPT(t, up.URL, nil)
	s.limits.head = 50 * time.Millisecond
	c, far := joined(t, s, Most{})
	if text := string(far.AuthFile()); !strings.Contains(text, s.login.proof) || strings.Contains(text, "secret") || len(far.login.ports) != 2 {
		t.Fatalf("the other side has %s and %d ports", text, len(far.login.ports))
	}
	works := func(when string) {
		t.Helper()
		if got := far.ask(t, 0, "POST", "/backend-api/codex/responses", "{}", nil); got.status != 200 || got.body != "begun" {
			t.Errorf("%s: %+v", when, got)
		}
	}
	for range 20 {
		works("one after the other")
	}
	var together sync.WaitGroup
	for range 20 {
		together.Go(func() { works("together") })
	}
	together.Wait()
	if n := c.made.Load(); n != 1 {
		t.Errorf("40 requests made %d connections", n)
	}
	again := func() { // while a request waits for it
		c.cut()
		testhome.NoError(t, <-c.ended)
		if _, err := os.Stat(c.far); !os.IsNotExist(err) {
			t.Errorf("a connection that broke leaves its directory: %v", err)
		}
		c.making.Go(func() {
			time.Sleep(50 * time.Millisecond) // mostly the request comes first then, and waits; it is answered in any order
			c.connect()
		})
	}
	again()
	works("between two turns")
	c.cut()
	testhome.NoError(t, <-c.ended)
	c.connect()
	select {
	case err := <-c.ended:
		t.Errorf("a connection that waits for a request ends: %v", err)
	case <-time.After(4 * s.limits.head):
	}
	works("long after it is back")

	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", far.login.ports[0]))
	testhome.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /backend-api/codex/responses?hold HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 2\r\n\r\n{}", conn.RemoteAddr(), s.login.proof)
	testhome.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	testhome.NoError(t, err)
	again()
	if text, err := io.ReadAll(answer.Body); err == nil {
		t.Errorf("an answer that broke off seems complete: %q", text)
	}
	close(release)
	works("after an answer that broke off")
}

// TestServedRefuses: what the other side may not do, and that with the session its stand-in ends.
func TestServedRefuses(t *testing.T) {
	up := newService(t, nil)
	s := openChatGPT(t, up.URL, nil)
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	var ahead atomic.Int64
	s.options.Now = func() time.Time { return now.Add(time.Duration(ahead.Load())) }
	c, far := joined(t, s, Most{PerHour: 3, Until: now.Add(90 * time.Minute)})
	change := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	const model = "/backend-api/codex/responses"
	for _, tt := range []struct {
		name, method, path string
		change             func(*http.Request)
		after              time.Duration // by the clock of this side
		want               int
		says               string
	}{
		{"another account", "POST", model, change("Chatgpt-Account-Id", "another"), 0, 403, "asks for another one"},
		{"another path", "GET", "/backend-api/wham/tasks/list", nil, 0, 403, ""},
		{"dots", "GET", "/backend-api/codex/../wham/tasks/list", nil, 0, 400, ""},
		{"an encoded slash", "GET", "/backend-api/codex%2fmodels", nil, 60 * time.Minute, 400, ""},
		{"outside of the backend", "GET", "/oauth/token", nil, 60 * time.Minute, 400, ""},
		{"another host", "GET", "/backend-api/codex/models", func(r *http.Request) { r.Host = "evil.example" }, 60 * time.Minute, 421, ""},
		{"a WebSocket", "GET", model, func(r *http.Request) { r.Header.Set("Connection", "Upgrade"); r.Header.Set("Upgrade", "websocket") }, 60 * time.Minute, 426, ""},
		{"a browser", "POST", model, change("Origin", "https://evil.example"), 60 * time.Minute, 403, ""},
		{"a guessed stand-in", "POST", model, change("Authorization", "Bearer "+chatGPTToken("guess")), 60 * time.Minute, 403, ""},
		{"more than in an hour", "POST", model, nil, 60 * time.Minute, 400, "3 requests in an hour"},
		{"an hour ahead of a clock that was set back", "POST", model, nil, 0, 200, ""},
		{"at the end", "POST", model, nil, 90 * time.Minute, 400, "the time is over"},
	} {
		ahead.Store(int64(tt.after))
		if got := far.ask(t, 0, tt.method, tt.path, "", tt.change); got.status != tt.want || !strings.Contains(got.body, tt.says) {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if seen := up.requests(); (len(seen) == 1) != (tt.want == 200) {
			t.Errorf("%s: %d requests are sent on", tt.name, len(seen))
		}
	}
	ahead.Store(0)
	testhome.NoError(t, os.Remove(s.options.AuthFile))
	if got := far.ask(t, 0, "POST", model, "{}", nil); got.status != 400 || !strings.Contains(got.body, "codex swop login work") {
		t.Errorf("once the account is logged out: %+v", got)
	}
	old := s.login.proof
	testhome.NoError(t, s.Close())
	if got := far.ask(t, 0, "POST", model, "{}", nil); got.status != 400 || !strings.Contains(got.body, "cannot be reached") {
		t.Errorf("once serving has ended: %+v", got)
	}
	if _, err := os.Stat(filepath.Join(c.near, ServedSocket)); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
	next := openChatGPT(t, up.URL, nil)
	_, far = joined(t, next, Most{})
	if got := far.ask(t, 0, "POST", model, "{}", change("Authorization", "Bearer "+old)); got.status != 403 {
		t.Errorf("the stand-in of a session that has ended: %+v", got)
	}
}

// TestServedAgain: one directory has one login, also after a run that was killed, and another release on the other side is named.
func TestServedAgain(t *testing.T) {
	s := openChatGPT(t, newService(t, nil).URL, nil)
	dir := filepath.Join(t.TempDir(), "served")
	l, err := listenServed(dir)
	testhome.NoError(t, err)
	testhome.NoError(t, l.Close()) // which leaves the socket, as a run that is killed does
	testhome.NoError(t, s.ServeIn(dir, Most{}))
	if err := s.ServeIn(dir, Most{}); err == nil || !strings.Contains(err.Error(), "another codex swop serves") {
		t.Errorf("a second time: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other")
	l, err = listenServed(other)
	testhome.NoError(t, err)
	server := http.Server{Handler: http.NotFoundHandler(), Protocols: http2Only()}
	go func() { _ = server.Serve(l) }() // until it is closed
	t.Cleanup(func() { _ = server.Close() })
	_, err = start(Options{Root: t.TempDir(), Bridges: config.Bridges{{Name: config.BridgeServed, Kind: config.BridgeServed, Upstream: other}}}, &usual)
	if err == nil || !strings.Contains(err.Error(), "another release of swop") {
		t.Errorf("of another release: %v", err)
	}
}
