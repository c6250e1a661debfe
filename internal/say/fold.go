package say

import (
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Unbounded is the width of a file that is no terminal, and of a terminal that does not tell its width.
const Unbounded = math.MaxInt

// Width returns the number of columns of w, [Unbounded] if it is no terminal.
func Width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return Unbounded
}

// Fold returns text in lines of at most width columns, broken between words, all but the first indented. A longer word has a line of its
// own, and so has a command at the end, after a colon, which can be pasted.
func Fold(text string, width, indent int) []string {
	words := strings.Split(text, " ")
	for _, command := range []string{": codex swop ", ": npm install "} {
		if at := strings.LastIndex(text, command); at >= 0 {
			words = append(strings.Split(text[:at+1], " "), text[at+2:])
		}
	}
	lines := words[:1:1]
	for _, word := range words[1:] {
		last := &lines[len(lines)-1]
		if utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width {
			*last += " " + word
		} else {
			lines = append(lines, strings.Repeat(" ", indent)+word)
		}
	}
	return lines
}
