//go:build unix

package request

import (
	"net/http"
	"strings"
	"testing"

	"swop/config"
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
		{"GET /v*/x*y", "GET", "/v2/xy", true},
		{"HEAD /a", "GET", "/a", false},
	} {
		target, no := Read(tt.method, tt.uri)
		if no != nil {
			t.Fatalf("Read(%q, %q): %v", tt.method, tt.uri, no)
		}
		if got := (Rules{List: testhome.Rules(t, config.BridgeHTTP, tt.rule)}).Allow(target); got != tt.want {
			t.Errorf("%q admits %s %s: %t, want %t", tt.rule, tt.method, tt.uri, got, tt.want)
		}
	}
}

// badPaths are paths that servers understand in more than one way.
var badPaths = []string{
	"/a/../b", "/..", "/a/..", "/./a", "/a/.", "/%2e%2e/b", "/a/%2E%2e/b", "/a/.%2e/b", "//a", "/a//b", "/a/b//", "/a%2fb", "/a%2Fb", "/a%5cb", `/a\b`,
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

func TestMatchTakesLittleTime(t *testing.T) {
	pattern, path := strings.Split(strings.Repeat("**/a/", 200)+"b", "/"), strings.Split(strings.Repeat("a/", 5000)+"c", "/")
	if MatchPath(pattern, path) || matchSegment(strings.Repeat("*a", 500)+"b", strings.Repeat("a", 5000)) {
		t.Error("the patterns match")
	}
}

// FuzzAllow: what is admitted is a clean path, which stays the same path when it is sent on, and matches the rule when each step is tried.
func FuzzAllow(f *testing.F) {
	for _, uri := range append(badPaths, "/", "/issues/1?x=y", "/a/b/c", "/%69ssues") {
		f.Add("GET /issues/**", uri)
		f.Add("GET /*a/**/b*/*", uri)
	}
	f.Fuzz(func(t *testing.T, rule, uri string) {
		r, defect := config.ParseRule(config.BridgeHTTP, rule)
		if defect != "" {
			return
		}
		got, no := Read(r.Method, uri)
		if no != nil {
			return
		}
		if ok := (Rules{List: []config.Rule{r}}).Allow(got); ok != slowMatch(r.Pattern, got.Segments) {
			t.Errorf("%q admits %q: %t", rule, uri, ok)
		}
		again, no := Read(r.Method, got.Escaped())
		if no != nil || strings.Join(again.Segments, "\x00") != strings.Join(got.Segments, "\x00") {
			t.Errorf("%q is sent on as %q, which is %q, %v", uri, got.Escaped(), again.Segments, no)
		}
		for i, s := range got.Segments {
			if s == "." || s == ".." || strings.ContainsAny(s, "/\\\x00") || s == "" && i < len(got.Segments)-1 {
				t.Errorf("%q has the segment %q", uri, s)
			}
		}
	})
}

// slowMatch is MatchPath without its shortcut, for short paths.
func slowMatch(pattern, segments []string) bool {
	if len(segments) > 12 || len(pattern) > 12 {
		return MatchPath(pattern, segments)
	}
	switch {
	case len(pattern) == 0:
		return len(segments) == 0
	case pattern[0] == "**":
		return slowMatch(pattern[1:], segments) || len(segments) > 0 && slowMatch(pattern, segments[1:])
	}
	return len(segments) > 0 && matchSegment(pattern[0], segments[0]) && slowMatch(pattern[1:], segments[1:])
}
