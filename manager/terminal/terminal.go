// Package terminal shows answers to people and asks them: tables, colours, progress, prompts. It knows streams and widths, and no account.
package terminal

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"swop/say"
)

// Streams are those of a command.
type Streams struct {
	Stdin, Stdout, Stderr *os.File

	Dumb      bool // a terminal here can only print lines
	Colorless bool // the user turned colours off: https://no-color.org
}

// Show prints lines that are safe to print already.
func (s Streams) Show(lines []string) error {
	_, err := fmt.Fprintln(s.Stdout, strings.Join(lines, "\n"))
	return err
}

// Sentences returns the lines of sentences, each from a new line on, as wide as stdout.
func (s Streams) Sentences(sentences ...string) (lines []string) {
	for _, sentence := range sentences {
		lines = append(lines, Fold(say.Printable(sentence), s.Width(), 0)...)
	}
	return lines
}

// Style is a colour or weight of text on a terminal (ECMA-48, select graphic rendition).
type Style string

// The styles that the commands use.
const (
	Bold   Style = "1"
	Faint  Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Paint returns text, safe to print and in the style if stdout is a terminal with colours.
func (s Streams) Paint(how Style, text string) string {
	text = say.Printable(text)
	if text == "" || s.Colorless || s.Dumb || !Is(s.Stdout) {
		return text
	}
	return "\x1b[" + string(how) + "m" + text + "\x1b[0m"
}

// Is reports whether the file is a terminal.
func Is(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// IsInteractive reports whether a person can answer.
func (s Streams) IsInteractive() bool { return Is(s.Stdin) && Is(s.Stderr) }

// Unbounded is the width of an output that is no terminal: nothing is cut there.
const Unbounded = 1 << 30

// Usual is the width of a terminal that does not know its own. Tables fit in it; on a narrower terminal they wrap.
const Usual = 80

// Width returns how many columns stdout has.
func (s Streams) Width() int {
	if !Is(s.Stdout) {
		return Unbounded
	}
	columns, _, err := term.GetSize(int(s.Stdout.Fd()))
	if err != nil || columns <= 0 {
		return Usual
	}
	return columns
}

// Cells returns how many columns of a terminal the text takes.
func Cells(text string) int { return runewidth.StringWidth(text) }

// Cut returns the text, or if it is wider than width its beginning and an ellipsis.
func Cut(text string, width int) string { return runewidth.Truncate(text, width, "…") }

// CutStart returns the text, or if it is wider than width an ellipsis and its end.
func CutStart(text string, width int) string {
	if Cells(text) <= width {
		return text
	}
	return runewidth.TruncateLeft(text, Cells(text)-width+Cells("…"), "…")
}

// Fold breaks text between words into lines of at most width columns, the later ones indented. A word that is wider stays in one line: it
// may be a path that somebody copies.
func Fold(text string, width, indent int) []string {
	lines := []string{""}
	for i, word := range strings.Split(text, " ") {
		last := lines[len(lines)-1]
		switch {
		case i == 0:
			lines[0] = word
		case Cells(last)+1+Cells(word) <= width:
			lines[len(lines)-1] = last + " " + word
		default:
			lines = append(lines, strings.Repeat(" ", indent)+word)
		}
	}
	return lines
}

// FoldSecond returns a line of two columns, which two spaces or more part, in at most width. The second is folded in its column. Where that has no
// room, the line stays one.
func FoldSecond(line string, width int) []string {
	second := strings.TrimLeft(line[strings.LastIndex(line, "  ")+1:], " ")
	first := strings.TrimSuffix(line, second)
	if room := width - Cells(first); Cells(line) > width && strings.TrimSpace(first) != "" && room >= leastSecond {
		lines := Fold(second, room, 0)
		for i := range lines {
			lines[i] = first + lines[i]
			first = strings.Repeat(" ", Cells(first))
		}
		return lines
	}
	return []string{line}
}

// leastSecond is the least width in which the second of two columns is readable.
const leastSecond = 30

// day ignores changes of the clock.
const day = 24 * time.Hour

// Ago returns the time since t in its largest unit, or the date if t is in the future.
func Ago(now time.Time, t *time.Time) string {
	if t == nil {
		return "never"
	}
	d := now.Sub(*t)
	switch {
	case d < -time.Minute:
		return t.Format(time.DateOnly)
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d < 60*day:
		return fmt.Sprintf("%d days ago", d/day)
	case d < 730*day:
		return fmt.Sprintf("%d months ago", d/(30*day))
	}
	return fmt.Sprintf("%d years ago", d/(365*day))
}

// Counted returns the number with its noun.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
