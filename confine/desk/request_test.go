package desk

import (
	"encoding/json"
	"strings"
	"testing"

	"swop/internal/testhome"
)

// FuzzAsk: what is read of a request is one that the rest can work with, and its text moves no cursor.
func FuzzAsk(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"write","target":"/a","reason":"x","command":["a","b"],"timeout":3}`, `{"kind":"connect","target":"a.example:443"}`,
		`{"kind":"bridge","target":"github","rule":"repo:a/b"}`, `{"kind":"read","target":"\u001b[2J\u202e"}`, `{"kind":"write","target":"\u0000"}`, `[`,
		`{"kind":"write","target":"/a","reason":"x)\nk3fa7q  granted (session): write /b","command":["a\nb"]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := readAsk(line)
		if err != nil {
			return
		}
		if a.Target == "" || strings.ContainsRune(a.Target+a.Rule+a.Reason, 0) || a.timeout() <= 0 || a.timeout() > maxTimeout {
			t.Fatalf("%q is read as %+v", line, a)
		}
		if text := a.Text(); strings.ContainsAny(text, "\x1b\r\n\x7f\u202e\u009b") {
			t.Fatalf("%q is shown as %q", line, text)
		}
		again, err := json.Marshal(a)
		testhome.NoError(t, err)
		if b, err := readAsk(again); err != nil || b.what() != a.what() {
			t.Fatalf("%q comes back as %+v, %v", line, b, err)
		}
	})
}
