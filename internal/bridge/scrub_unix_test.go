//go:build unix

package bridge

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestScrub: wherever a body is split, the secret does not come through, and all else does.
func TestScrub(t *testing.T) {
	text, want := "before "+secret+" after", "before "+strings.Repeat("*", len(secret))+" after"
	for _, split := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
		got, err := io.ReadAll(scrub(io.NopCloser(split(strings.NewReader(text))), []string{secret}))
		if err != nil || string(got) != want {
			t.Errorf("%q becomes %q, %v, want %q", text, got, err, want)
		}
	}
}
