//go:build unix

package bridge

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestScrub: wherever a body is split, no form of the secret comes through, and all else does.
func TestScrub(t *testing.T) {
	const password = "pass/word+9"
	basic := base64.StdEncoding.EncodeToString([]byte("robot:" + password))
	for _, tt := range []struct{ token, shown string }{
		{secret, secret},
		{secret, base64.StdEncoding.EncodeToString([]byte(secret))},
		{basic, basic},
		{basic, "robot:" + password},
		{basic, password},
		{basic, "pass%2Fword%2B9"},
	} {
		text := "before " + tt.shown + " after"
		for _, split := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
		} {
			got, err := io.ReadAll(scrub(io.NopCloser(split(strings.NewReader(text))), forms(tt.token)))
			if err != nil || len(got) != len(text) || !strings.HasPrefix(string(got), "before ") || !strings.HasSuffix(string(got), " after") {
				t.Errorf("%q becomes %q, %v", text, got, err)
			}
			if strings.Contains(string(got), tt.shown) || strings.Contains(string(got), strings.Trim(tt.shown, "=")) {
				t.Errorf("%q becomes %q", text, got)
			}
		}
	}
}
