//go:build unix

package codexsandbox

import (
	"testing"
)

func TestParseRelease(t *testing.T) {
	for text, want := range map[string]string{
		"codex-cli 0.169.0\n":                       "0.169.0",
		"codex-cli 0.29.0":                          "0.29.0",
		"codex 0.3.0\r\n":                           "0.3.0",
		"codex-cli 0.142.0-alpha.3\n":               "0.142.0-alpha.3",
		"a wrapper says hello\ncodex-cli 1.2.3\n\n": "1.2.3",
		"codex-cli 1.0.0\ncodex-cli 2.0.0\n":        "1.0.0",
	} {
		r, err := ParseRelease(text)
		if err != nil || r.String() != want {
			t.Errorf("ParseRelease(%q) = %v, %v, want %s", text, r, err, want)
		}
	}
	for _, text := range []string{
		"", "\n", "codex-cli", "codex-cli 0.0.0\n", "codex-cli 0.0.0-dev\n", "codex-cli x.y.z", "codex-cli 1.2", "codex-cli 1.2.3.4",
		"codex-cli -1.2.3", "codex-cli 1.2.3-", "codex-cli v1.2.3", "git version 2.39.5", "1.2.3", "codex-cli 1.2.3 extra",
		"codex-cli 0.99999999999.0", "error: codex-cli 0.1.0",
	} {
		if r, err := ParseRelease(text); err == nil {
			t.Errorf("ParseRelease(%q) = %v, want an error", text, r)
		}
	}
}
