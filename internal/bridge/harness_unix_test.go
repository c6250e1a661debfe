//go:build unix

package bridge

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"swop/config"
	"swop/internal/test/testhome"
)

func TestMain(m *testing.M) {
	os.Exit(testhome.Suite{Tests: m, Programs: []string{"gh"}}.Run())
}

// secret is the token of the bridges in tests.
const secret = "s3cr3t/token+with=signs"

// service is an upstream on loopback that remembers what it was asked.
type service struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

func newService(t testing.TB, answer http.HandlerFunc) *service {
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		if answer != nil {
			answer(w, r)
		}
	}))
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	return s
}

// requests returns what was asked since the last call.
func (s *service) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

// tracker is a bridge of the kind http to an upstream.
func tracker(t testing.TB, upstream string, allow ...string) config.Bridge {
	return config.Bridge{
		Name: "tracker", Kind: "http", Upstream: upstream, Header: "Authorization: Bearer {token}",
		Token: config.Token{Env: "SANDBOX_TRACKER"}, Allow: testhome.Rules(t, "http", allow...),
	}
}

// open opens the bridges of a session.
func open(t testing.TB, change func(*Options), bridges ...config.Bridge) *Session {
	t.Helper()
	home := t.TempDir()
	o := Options{
		Places:  config.Places{Root: filepath.Join(home, ".swop"), Home: home},
		Account: "work", Bridges: bridges, Now: time.Now, Helper: "/bin/true",
		Env: config.Env{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SANDBOX_TRACKER=" + secret, "SANDBOX_GH_TOKEN=" + secret},
	}
	if change != nil {
		change(&o)
	}
	testhome.NoError(t, os.MkdirAll(filepath.Join(o.Root, "locks"), 0o700))
	s, err := Start(o)
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, s.Close()) })
	return s
}

// client returns what asks a bridge by its socket.
func (s *Session) client(name string) *http.Client {
	dial := func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", s.directory.socket(name))
	}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dial, DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func read1(t testing.TB, r *http.Response, err error) answer {
	t.Helper()
	testhome.NoError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	testhome.NoError(t, err)
	return answer{r.StatusCode, r.Header, string(body)}
}

func (s *Session) get(t testing.TB, path string) answer {
	t.Helper()
	r, err := s.client("tracker").Get("http://tracker" + path)
	return read1(t, r, err)
}

// raw sends bytes as they are, and returns the answer.
func (s *Session) raw(t testing.TB, text string) answer {
	t.Helper()
	conn, err := net.Dial("unix", s.directory.socket("tracker"))
	testhome.NoError(t, err)
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, text) }() // it may be refused before it is read
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return answer{body: err.Error()}
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body) // the rest is lost where what was sent was not read to its end
	return answer{r.StatusCode, r.Header, string(body)}
}

func hasSecret(text string) bool { return strings.Contains(text, secret) }

func (a answer) text() string {
	var b strings.Builder
	_ = a.header.Write(&b) // a builder takes everything
	return b.String() + a.body
}

// rawGit sends bytes on the way of git, and returns the status.
func (s *Session) rawGit(t testing.TB, line, headers, body string) int {
	t.Helper()
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.github.ports[0])))
	testhome.NoError(t, err)
	defer conn.Close()
	if body != "" {
		headers += "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	_, err = io.WriteString(conn, line+" HTTP/1.1\r\n"+headers+"\r\n"+body)
	testhome.NoError(t, err)
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	testhome.NoError(t, err)
	defer r.Body.Close()
	return r.StatusCode
}
