//go:build unix

package request

import (
	"net/http"
	"testing"

	"swop/internal/test/testhome"
)

func TestAllows(t *testing.T) {
	for _, tt := range []struct {
		rule, method, uri string
		want              bool
	}{
		{"GET /**", "GET", "/", true},
		{"GET /**", "HEAD", "/a", true},
		{"GET /**", "POST", "/a", false},
		{"GET /issues", "GET", "/issues", true},
		{"GET /issues", "GET", "/issues?state=open&x=%2e%2e", true},
		{"GET /issues", "GET", "/%69ssues", true},
		{"GET /issues", "GET", "/issues/", false},
		{"GET /issues/*", "GET", "/issues/1", true},
		{"GET /issues/*", "GET", "/issues/", false},
		{"GET /a/**/z", "GET", "/a/z", true},
		{"GET /a/**/z", "GET", "/a/b/c/z", true},
		{"GET /a/**/z", "GET", "/b/z", false},
		{"GET /a/**/z", "GET", "/a/b/c/z/y", false},
		{"GET /**/b/*/c", "GET", "/b/a/b/x/c", true},
		{"GET /v*/x*y", "GET", "/v2/xy", true},
		{"HEAD /a", "GET", "/a", false},
	} {
		target, no := Read(tt.method, tt.uri)
		if no != nil {
			t.Fatalf("Read(%q, %q): %v", tt.method, tt.uri, no)
		}
		if got := (Rules{List: testhome.Rules(t, "http", tt.rule)}).Allow(target); got != tt.want {
			t.Errorf("%q admits %s %s: %t, want %t", tt.rule, tt.method, tt.uri, got, tt.want)
		}
	}
}

// badPaths are paths that servers understand in more than one way.
var badPaths = []string{
	"/a/../b", "/..", "/a/..", "/./a", "/a/.", "/%2e%2e/b", "/a/%2E%2e/b", "/a/.%2e/b", "//a", "/a/..%20/b", "/%20.", "/..%EF%BC%8Fb", "/%EF%BC%8E%EF%BC%8E/b", "/%E2%80%A5/b", "/..%E2%88%95b", "/%E2%84%80", "/a//b", "/a/b//", "/a%2fb", "/a%2Fb", "/a%5cb", `/a\b`,
	"/a;x=1/..;/b", "/..;/b", "/.;x/b", "/a%252e", "/%252e%252e/b", "/a%00", "/a%0a", "/a%0d%0aHost:x", "/a%7f", "/%ff", "/%c0%ae%c0%ae/b", "/%", "/%2", "/%zz",
	"/a%c2%85b",
	"http://other/a", "https://other/a", "other:443", "*", "", "a", "?x",
}

func TestBadPaths(t *testing.T) {
	for _, uri := range badPaths {
		if got, no := Read("GET", uri); no == nil || no.Status != http.StatusBadRequest {
			t.Errorf("Read(%q) = %+v, %v", uri, got, no)
		}
	}
	for _, method := range []string{"CONNECT", "TRACE"} {
		if _, no := Read(method, "/a"); no == nil || no.Status != http.StatusMethodNotAllowed {
			t.Errorf("%s: %v", method, no)
		}
	}
}
