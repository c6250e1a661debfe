package say

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What people read. Errors go to stderr, each line after "swop: ", then the hints, which are commands that can be pasted or short
// sentences. Lower case, no full stop, user data quoted, each fact once, never a secret. A call that succeeds prints nothing.
// Names of files and keys may be anybody's: nothing of them reaches a terminal that it would act on.

// Error prints err and its hints.
func Error(w io.Writer, err error) {
	for _, line := range strings.Split(told(err), "\n") {
		Line(w, "%s", line)
	}
	for _, hint := range Hints(err) {
		Line(w, "hint: %s", hint)
	}
}

// told is what err says, with joined errors on lines of their own and no other line breaks: one in a name, which a stranger may have
// chosen, would begin a line that looks like swop's, as a hint does.
func told(err error) string {
	text := err.Error()
	var parts []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		parts = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		parts = e.Unwrap()
		if lines := each(parts, error.Error); strings.Join(lines, "\n") == text {
			return strings.Join(each(parts, told), "\n")
		}
	}
	var b strings.Builder
	for _, part := range parts {
		if part == nil {
			continue
		}
		if before, after, ok := strings.Cut(text, part.Error()); ok {
			b.WriteString(oneLine(before) + told(part))
			text = after
		}
	}
	return b.String() + oneLine(text)
}

func each(errs []error, say func(error) string) []string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, say(err))
	}
	return texts
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }

// Line prints one line of swop's own on w, which is stderr. What a terminal would obey, as names can have it, is shown as Go writes it.
func Line(w io.Writer, format string, args ...any) {
	line := oneLine(Printable(fmt.Sprintf(format, args...)))
	write(w, "swop: "+line+"\n")
}

// Printable returns text as a terminal may be given it: line breaks as they are, all else that is not printable as Go escapes it.
func Printable(text string) string {
	if !strings.ContainsFunc(text, escapes) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if escapes(r) {
			quoted := strconv.Quote(text[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

func escapes(r rune) bool { return r != '\n' && !unicode.IsPrint(r) || r == utf8.RuneError }
