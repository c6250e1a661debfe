//go:build unix

package account

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"swop/internal/say"
	"swop/internal/test/testhome"
)

// FuzzShown: nothing that a terminal acts on is shown, and nothing else is changed.
func FuzzShown(f *testing.F) {
	for _, seed := range testhome.HostileNames {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		shown := say.Name(name)
		if !utf8.ValidString(shown) || strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("Shown(%q) = %q", name, shown)
		}
		if back, err := strconv.Unquote(shown); shown != name && (err != nil || back != name) {
			t.Errorf("Shown(%q) = %q, which is another name", name, shown)
		}
		if back := unquotedByShell(t, say.ShellQuote(name)); back != name {
			t.Errorf("config.ShellQuote(%q) = %q, which a shell reads as %q", name, say.ShellQuote(name), back)
		}
	})
}

// unquotedByShell reads one word as a POSIX shell does (Shell Command Language, 2.2). A character that is special outside of quotes fails.
func unquotedByShell(t *testing.T, word string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\'':
			end := strings.IndexByte(word[i+1:], '\'')
			if end < 0 {
				t.Fatalf("%q: a quote is open", word)
			}
			b.WriteString(word[i+1 : i+1+end])
			i += 1 + end
		case c == '\\' && i+1 < len(word):
			i++
			b.WriteByte(word[i])
		case strings.IndexByte("|&;<>()$`\\\" \t\n*?[#~!{}", c) >= 0:
			t.Fatalf("%q: %q is special to a shell", word, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
