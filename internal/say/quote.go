package say

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ShellQuote returns s as one word of a POSIX shell, without quotes where it needs none.
func ShellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,=") == "" {
		return s
	}
	return SingleQuote(s)
}

// ShellPath is [ShellQuote] for a path, with ~ for home if the path lies below home.
func ShellPath(home, path string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(home, "/")+"/"); ok && rest != "" {
		return "~/" + ShellQuote(rest)
	}
	return ShellQuote(path)
}

// SingleQuote returns s in single quotes, as one word of a POSIX shell.
func SingleQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// PowerQuote returns s in single quotes, as one word of PowerShell.
func PowerQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// FishQuote returns s in single quotes, as one word of fish.
func FishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// Name returns a name or path that is safe to print on a terminal: unchanged, or quoted as in Go if it has characters that are not
// printable.
func Name(s string) string {
	if OneLine(s) != s {
		return strconv.Quote(s)
	}
	return s
}

// OneLine is [Printable] with line breaks escaped too.
func OneLine(text string) string { return strings.ReplaceAll(Printable(text), "\n", `\n`) }

// Printable returns text with all characters escaped as in Go that are neither printable nor line breaks.
func Printable(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r != '\n' && !strconv.IsPrint(r) || r == utf8.RuneError {
			quoted := strconv.Quote(text[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}
