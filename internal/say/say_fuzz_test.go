//go:build unix

package say

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzError has an error and a hint made of anything: what is printed is lines of ours, with nothing that a terminal acts on.
func FuzzError(f *testing.F) {
	for _, seed := range []string{"", "\n", "a\nb", "\x1b]0;title\x07", "\r", "%s%n", "\u009b2J", "\u202e", "\ufeff", "\xff", "\ufffd", "\u2028", "é", "a\tb"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, text, hint string) {
		var b strings.Builder
		Error(&b, WithHint(errors.New(text), hint))
		out := b.String()
		if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("Error of %q, %q prints %q", text, hint, out)
		}
		if !strings.HasPrefix(out, "swop: ") || !strings.HasSuffix(out, "\n") {
			t.Errorf("Error of %q, %q prints %q, which is not a line of swop's", text, hint, out)
		}
		if got := Printable(text); got != Printable(got) || printable(text) && got != text {
			t.Errorf("Printable(%q) = %q", text, got)
		}
	})
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) })
}
