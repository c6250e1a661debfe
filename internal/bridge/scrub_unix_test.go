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
	for _, shown := range []string{secret, "s3cr3t%2Ftoken%2Bwith%3Dsigns", base64.StdEncoding.EncodeToString([]byte(secret))} {
		text := "before " + shown + " after"
		for _, split := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			got, err := io.ReadAll(scrub(io.NopCloser(split(strings.NewReader(text))), forms(secret)))
			if err != nil || len(got) != len(text) || !strings.HasPrefix(string(got), "before ") || !strings.HasSuffix(string(got), " after") {
				t.Errorf("%q becomes %q, %v", text, got, err)
			}
			if strings.Contains(string(got), strings.Trim(shown, "=")) {
				t.Errorf("%q becomes %q", text, got)
			}
		}
	}
}
