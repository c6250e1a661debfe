//go:build unix

package bridge

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"swop/config"
	"swop/internal/test/testhome"
)

func TestTokens(t *testing.T) {
	up := newService(t, nil)
	good := func(t *testing.T, home string, mode os.FileMode, text string) config.Token {
		file := testhome.PutFile(t, filepath.Join(home, "token"), text)
		testhome.NoError(t, os.Chmod(file, mode))
		return config.Token{File: "~/token"}
	}
	run := func(script string) func(*testing.T, string) config.Token {
		return func(*testing.T, string) config.Token { return config.Token{Command: []string{"sh", "-c", script}} }
	}
	for _, tt := range []struct {
		name  string
		token func(t *testing.T, home string) config.Token
		want  string // in the refusal; "" where there is none
	}{
		{"a variable", func(*testing.T, string) config.Token { return config.Token{Env: "SANDBOX_TRACKER"} }, ""},
		{"a file", func(t *testing.T, home string) config.Token { return good(t, home, 0o600, secret+"\n") }, ""},
		{"readable by others", func(t *testing.T, home string) config.Token { return good(t, home, 0o640, secret) }, "can be read by others"},
		{"two lines", func(t *testing.T, home string) config.Token { return good(t, home, 0o600, secret+"\n"+secret) }, "second line"},
		{"a command", run("echo '" + secret + "'"), ""},
		{"a command that fails", run("echo '" + secret + "' >&2; exit 3"), "exit status 3"},
		{"a command that reads", run("read -r answer || exit 4"), "exit status 4"},
		{"a long answer", run("yes '" + secret + "'"), "failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := tracker(t, up.URL, "GET /**")
			s := open(t, func(o *Options) {
				b.Token = tt.token(t, o.Home)
				o.Bridges = config.Bridges{b}
			})
			got := s.get(t, "/a")
			switch seen := up.requests(); {
			case tt.want == "" && (got.status != 200 || len(seen) != 1 || seen[0].Header.Get("Authorization") != "Bearer "+secret):
				t.Errorf("the answer is %+v", got)
			case tt.want != "" && (got.status != 502 || len(seen) != 0 || !strings.Contains(got.body, tt.want)):
				t.Errorf("the answer is %+v, want %q", got, tt.want)
			case hasSecret(got.text()) || testhome.HoldsText(secret, s.options.Root):
				t.Errorf("the secret is in %+v, or on disk", got)
			}
		})
	}
}

// command is a bridge to upstream with the token that the script prints.
func command(t *testing.T, upstream, script string) config.Bridge {
	b := tracker(t, upstream, "GET /**", "POST /**")
	b.Token = config.Token{Command: []string{"sh", "-c", script}}
	return b
}

// runs returns how often the script of a [command] added a line to the file runs.
func (s *Session) runs() int {
	return strings.Count(testhome.TextOf(filepath.Join(s.options.Home, "runs")), "x\n")
}

// TestTokenFails: what failed is tried again after a pause.
func TestTokenFails(t *testing.T) {
	p, runs := printed{now: time.Now}, 0
	run := func() (string, error) {
		runs++
		return "", errors.New("no")
	}
	for range 3 {
		_, _ = p.token("", run)
	}
	p.ran = p.ran.Add(-pause)
	if _, err := p.token("", run); runs != 2 || err == nil {
		t.Errorf("it ran %d times: %v", runs, err)
	}
}

// TestTokenRefused: after a 401 the command runs once more, and the request is sent again with what it prints.
func TestTokenRefused(t *testing.T) {
	const newer = "another-secret-0123"
	var refused sync.Map // the bodies of requests with the first secret
	up := newService(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer "+newer {
			refused.Store(string(body), true)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, newer)
		if _, again := refused.Load(string(body)); again { // so that the bridge knows both
			_, _ = io.WriteString(w, " "+secret)
		}
		_, _ = io.WriteString(w, " "+string(body))
	})
	s := open(t, nil, command(t, up.URL, "echo x >>runs; test $(wc -l <runs) = 1 && echo '"+secret+"' || echo "+newer))
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			body := fmt.Sprintf(" body %d", n)
			r, err := s.client("tracker").Post("http://tracker/a", "text/plain", strings.NewReader(body))
			got := read1(t, r, err)
			if got.status != 200 || hasSecret(got.body) || strings.Contains(got.body, newer) || !strings.HasSuffix(got.body, body) {
				t.Errorf("the answer is %+v", got)
			}
		})
	}
	all.Wait()
	if n := s.runs(); n != 2 {
		t.Errorf("it ran %d times", n)
	}
}

// TestTokenRefusedAlways: a service that refuses everything runs the command once more, and not for each request.
func TestTokenRefusedAlways(t *testing.T) {
	up := newService(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	s := open(t, nil, command(t, up.URL, "echo x >>runs; echo '"+secret+"'"))
	for range 5 {
		if got := s.get(t, "/a"); got.status != 502 || !strings.Contains(got.body, "does not accept") {
			t.Errorf("the answer is %+v", got)
		}
	}
	if n := s.runs(); n != 2 {
		t.Errorf("it ran %d times", n)
	}
}
