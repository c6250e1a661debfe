// Package request parses requests to a bridge, and judges them by the bridge's rules.
package request

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Refusal is the reason why a request is not sent on.
type Refusal struct {
	Status int
	Text   string // for the client
}

func (r *Refusal) Error() string { return r.Text }

// Refuse returns a refusal with this text.
func Refuse(status int, format string, args ...any) *Refusal {
	return &Refusal{status, fmt.Sprintf(format, args...)}
}

// Target is the method, path and query of a request.
type Target struct {
	Method   string
	Segments []string // of the path, decoded; the last one is empty if the path ends with a slash
	Query    string
	GraphQL  bool
}

// Reads reports whether the request changes nothing.
func (t Target) Reads() bool { return t.Method == http.MethodGet || t.Method == http.MethodHead }

// Path returns the path, decoded.
func (t Target) Path() string { return "/" + strings.Join(t.Segments, "/") }

// Escaped returns the path, encoded as it is sent on.
func (t Target) Escaped() string {
	var b strings.Builder
	for _, s := range t.Segments {
		b.WriteString("/" + url.PathEscape(s))
	}
	return b.String()
}

// Read returns the target of a request line. A path that servers understand in more than one way is refused, not repaired: the server must
// do what was judged here.
func Read(method, uri string) (t Target, no *Refusal) {
	if method == http.MethodConnect || method == http.MethodTrace {
		return t, Refuse(http.StatusMethodNotAllowed, "%s is never sent on", method)
	}
	if !strings.HasPrefix(uri, "/") {
		return t, Refuse(http.StatusBadRequest, "the request must name a path, not an address or a host")
	}
	path, query, _ := strings.Cut(uri, "?")
	t = Target{Method: method, Query: query}
	raw := strings.Split(path[1:], "/")
	for i, segment := range raw {
		decoded, plain := readSegment(segment, i == len(raw)-1)
		if !plain {
			return t, Refuse(http.StatusBadRequest, "the path has ., .., // or an encoding that servers read in more than one way")
		}
		t.Segments = append(t.Segments, decoded)
	}
	return t, nil
}

// readSegment returns a segment of a path, decoded, and whether all servers read it so. The last one may be empty.
func readSegment(raw string, last bool) (decoded string, plain bool) {
	decoded, err := url.PathUnescape(raw)
	name, _, _ := strings.Cut(decoded, ";") // some servers drop the rest, and then resolve the name
	switch {
	case err != nil, decoded == "" && !last, strings.ContainsAny(decoded, `/\`), strings.ContainsFunc(decoded, isWide), hasEscape(decoded):
		return "", false
	case name != "" && strings.Trim(name, ". ") == "": // Windows drops blanks
		return "", false
	}
	return decoded, utf8.ValidString(decoded) && !strings.ContainsFunc(decoded, unicode.IsControl)
}

// isWide reports whether a server could fold the character to a slash or dots (NFKC, best fit), as it does some punctuation and symbols.
func isWide(r rune) bool {
	return r > unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

// hasEscape reports whether text could be decoded once more.
func hasEscape(text string) bool {
	for i := 0; i+2 < len(text); i++ {
		if _, err := hex.DecodeString(text[i+1 : i+3]); text[i] == '%' && err == nil {
			return true
		}
	}
	return false
}
