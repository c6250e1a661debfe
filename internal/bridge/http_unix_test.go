//go:build unix

package bridge

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"swop/internal/test/testhome"
)

func TestHTTP(t *testing.T) {
	up := newService(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.RequestURI(), body)
	})
	s := open(t, nil, tracker(t, up.URL+"/api", "GET /**"))
	if got := s.get(t, "/issues/a%20b?q=%2e%2e"); got.status != 200 || got.body != "GET /api/issues/a%20b?q=%2e%2e " {
		t.Errorf("GET: %+v", got)
	}
	seen := up.requests()
	if len(seen) != 1 || seen[0].Header.Get("Authorization") != "Bearer "+secret || "http://"+seen[0].Host != up.URL {
		t.Fatalf("upstream sees %+v", seen)
	}
}

// TestBadRequests: each is refused, and upstream sees nothing; the first ones, which differ in that one thing, are sent on, each as one.
func TestBadRequests(t *testing.T) {
	up := newService(t, nil)
	s := open(t, nil, tracker(t, up.URL, "GET /**", "POST /**"))
	const host = "Host: tracker\r\n"
	for _, tt := range []struct {
		name, request string
		status        int
	}{
		{"a length", "POST /a HTTP/1.1\r\n" + host + "Content-Length: 1\r\n\r\nx", 200},
		{"chunks", "POST /a HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200},
		{"Connection: Authorization", "GET /a HTTP/1.1\r\n" + host + "Connection: close, Authorization\r\n\r\n", 200},
		{"another request behind it", strings.Repeat("GET /a HTTP/1.1\r\n"+host+"\r\n", 2), 200},
		{"dots", "GET /a/../b HTTP/1.1\r\n" + host + "\r\n", 400},
		{"absolute", "GET http://elsewhere/a HTTP/1.1\r\n" + host + "\r\n", 400},
		{"CONNECT", "CONNECT tracker HTTP/1.1\r\n" + host + "\r\n", 405},
		{"Upgrade", "GET /a HTTP/1.1\r\n" + host + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 426},
		{"two hosts", "GET /a HTTP/1.1\r\n" + host + "Host: tracker\r\n\r\n", 400},
		{"two lengths", "POST /a HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400},
		{"an unknown coding", "POST /a HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked, gzip\r\n\r\n", 501},
		{"a huge header", "GET /a HTTP/1.1\r\n" + host + "X: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", 431},
		{"no HTTP", "hello\r\n\r\n", 400},
	} {
		got := s.raw(t, tt.request)
		seen := up.requests()
		if got.status != tt.status || (len(seen) == 1) != (tt.status == 200) {
			t.Errorf("%s: %+v, want %d; upstream sees %d requests", tt.name, got, tt.status, len(seen))
		}
		if hasSecret(got.text()) {
			t.Errorf("%s: the answer has the secret: %+v", tt.name, got)
		}
	}
}

// TestClientsCredentials: upstream sees the bridge's credential alone, and no header that names another method, path or part.
func TestClientsCredentials(t *testing.T) {
	up := newService(t, nil)
	s := open(t, nil, tracker(t, up.URL, "GET /**", "POST /**"))
	var b strings.Builder
	for name := range strings.FieldsSeq(`Accept-Encoding Authorization Cookie Forwarded If-Range Private-Token Proxy-Authorization Range TE X-Api-Key
		X-Forwarded-For X-Forwarded-Host X-Forwarded-Method X-Forwarded-Path X-Forwarded-Proto X-Forwarded-Uri X-HTTP-Method X-HTTP-Method-Override
		X-Method-Override X-Original-URL X-Original-Uri X-Forwarded-Prefix X-Method X-Rewrite-URL X-Swop-Session x-http-method-override X_HTTP_Method_Override X-HTTP_Method-Override
		Transfer_Encoding Content_Length X.Method!Override`) {
		fmt.Fprintf(&b, "%s: theirs\r\n", name)
	}
	if got := s.raw(t, "GET /a HTTP/1.1\r\nHost: tracker\r\nX-Mine: kept\r\n"+b.String()+"\r\n"); got.status != 200 {
		t.Fatalf("the answer is %+v", got)
	}
	header := up.requests()[0].Header
	if header.Get("X-Mine") != "kept" || header.Get("Authorization") != "Bearer "+secret || len(header.Values("Authorization")) != 1 {
		t.Errorf("upstream sees %v", header)
	}
	for name, values := range header {
		if strings.Contains(strings.Join(values, ""), "theirs") {
			t.Errorf("upstream sees %s: %v", name, values)
		}
	}
	late := "Trailer: X-Http-Method\r\n\r\n3\r\nend\r\n0\r\nX-Http-Method: theirs\r\n\r\n"
	if got := s.raw(t, "POST /a HTTP/1.1\r\nHost: tracker\r\nTransfer-Encoding: chunked\r\n"+late); got.status != 200 {
		t.Fatalf("the answer is %+v", got)
	}
	if trailer := up.requests()[0].Trailer; len(trailer) > 0 {
		t.Errorf("upstream sees the trailers %v", trailer)
	}
	next := "Content-Length: 21\r\n\r\nDELETE /b HTTP/1.1\r\n\r"
	if got := s.raw(t, "GET /a HTTP/1.1\r\nHost: tracker\r\n"+next); got.status != 400 {
		t.Errorf("of GET with a body the answer is %+v", got)
	}
}

// TestReflected: a service that repeats what it is sent does not give the secret away.
func TestReflected(t *testing.T) {
	up := newService(t, func(w http.ResponseWriter, r *http.Request) {
		value := r.Header.Get("Authorization")
		w.Header().Set("X-Echo", value)
		w.Header().Set("Set-Cookie", "session=1")
		w.Header().Set("Trailer", "X-Last")
		code := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
		_, _ = fmt.Fprintf(w, "%s %s %s %s", value, code(value), code("x"+value), code("xy"+secret))
		w.Header().Set("X-Last", value)
		w.Header().Set(http.TrailerPrefix+"X-Late", value)
	})
	s := open(t, nil, tracker(t, up.URL, "GET /**"))
	s.bridges[0].transport = byteByByte{s.transport} // so that no read has all of the secret
	got := s.get(t, "/echo")
	if got.status != 200 || hasSecret(got.text()) || !strings.HasPrefix(got.body, "Bearer ******") || got.header.Get("X-Echo") == "" ||
		got.header.Get("Set-Cookie") != "" {
		t.Errorf("the answer is %+v", got)
	}
	r, err := s.client("tracker").Get("http://tracker/echo")
	testhome.NoError(t, err)
	_, err = io.Copy(io.Discard, r.Body)
	testhome.NoError(t, err)
	if len(r.Trailer) != 0 {
		t.Errorf("the trailers are %v", r.Trailer)
	}
	h := http.Header{"X-Some-Token": {"1"}} // as net/http writes it
	if coverHeaders(h, []string{"some-token"}); len(h) > 0 {
		t.Errorf("the headers are %v", h)
	}
	git := destination{credential: func(token string) (string, string) { return "Authorization", "Basic " + strings.ToUpper(token) }}
	answer := http.Response{Header: http.Header{"X-Echo": {"Basic SECRET"}}}
	if err := git.clean(&answer, []string{"secret"}); err != nil || strings.Contains(answer.Header.Get("X-Echo"), "SECRET") {
		t.Errorf("the answer to git has %q, %v", answer.Header.Get("X-Echo"), err)
	}
}

// byteByByte gives the bodies of answers one byte at a read.
type byteByByte struct{ http.RoundTripper }

func (t byteByByte) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{iotest.OneByteReader(answer.Body), answer.Body}
	}
	return answer, err
}

func TestUpstreams(t *testing.T) {
	elsewhere := newService(t, nil)
	answers := map[string]http.HandlerFunc{
		"/ok": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") },
		"/elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/x?token=1", http.StatusFound)
		},
		"/denied": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(401)
		},
		"/compressed": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "br") },
		"/breaks":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"/switches": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Upgrade", "x")
			w.Header().Set("Connection", "Upgrade")
			w.WriteHeader(101)
		},
		"/early": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", secret)
			w.WriteHeader(103)
			w.Header().Del("Link")
		},
	}
	up := newService(t, func(w http.ResponseWriter, r *http.Request) { answers[r.URL.Path](w, r) })
	s := open(t, nil, tracker(t, up.URL, "GET /**"))
	for path, want := range map[string]int{
		"/ok": 200, "/elsewhere": 502, "/denied": 502, "/compressed": 502, "/breaks": 502, "/switches": 502, "/early": 200,
	} {
		got := s.get(t, path)
		if got.status != want || hasSecret(got.text()) || got.header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s: %+v, want %d", path, got, want)
		}
	}
	if seen := elsewhere.requests(); len(seen) != 0 {
		t.Errorf("the service elsewhere sees %+v", seen)
	}
	up.Close()
	if got := s.get(t, "/ok"); got.status != 502 || strings.Contains(got.body, "127.0.0.1") {
		t.Errorf("of a service that is down: %+v", got)
	}
}

// TestLogBounded: in a minute all sessions of an account write so many lines at most, and the next one says how many were left out. A line
// is short, whatever a request has in it.
func TestLogBounded(t *testing.T) {
	now := time.Unix(1_800_000_000, 0).UTC()
	root := t.TempDir()
	change := func(o *Options) { o.Root, o.Now = root, func() time.Time { return now } }
	one, two := open(t, change), open(t, change)
	for range maxEvents {
		one.log(event{Bridge: "tracker", Verdict: refused})
	}
	for range 7 {
		two.log(event{Bridge: "tracker", Verdict: refused})
	}
	now = now.Add(time.Minute)
	long := strings.Repeat("x", maxHeader/2)
	two.log(event{Bridge: "tracker", Method: long, Path: long, Verdict: refused, Reason: long})
	lines := strings.Split(strings.TrimSpace(testhome.TextOf(filepath.Join(root, logDir, "work.jsonl"))), "\n")
	if last := lines[len(lines)-1]; len(lines) != maxEvents+1 || !strings.Contains(last, `"left_out":7`) || len(last) > 4*maxLogged {
		t.Errorf("%d lines, the last one has %d bytes: %.300s, want %d and 7 left out", len(lines), len(last), last, maxEvents+1)
	}
}
