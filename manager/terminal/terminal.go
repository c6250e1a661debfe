// Package terminal shows answers to people and asks them: tables, colours, progress, prompts. It knows streams and widths, and no account.
package terminal

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"swop/internal/say"
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
		lines = append(lines, say.Fold(say.Printable(sentence), s.Width(), 0)...)
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

// Unbounded is the width of an output that is no terminal, or one of unknown width: nothing is cut there.
const Unbounded = say.Unbounded

// Width returns how many columns stdout has.
func (s Streams) Width() int { return say.Width(s.Stdout) }

// Cells returns how many columns of a terminal the text takes.
func Cells(text string) int { return runewidth.StringWidth(text) }

// Cut returns the text, or if it is wider than width its beginning and an ellipsis.
func Cut(text string, width int) string { return runewidth.Truncate(text, width, "…") }

// FoldSecond returns a line of two columns, which two spaces or more part, in at most width. The second is folded in its column; where that
// has no room, below the first one, which may be pasted and stays whole.
func FoldSecond(line string, width int) []string {
	second := strings.TrimLeft(line[strings.LastIndex(line, "  ")+1:], " ")
	first := strings.TrimSuffix(line, second)
	if Cells(line) <= width || strings.TrimSpace(first) == "" {
		return []string{line}
	}
	if width-Cells(first) < leastSecond {
		return append([]string{strings.TrimRight(first, " ")}, beside(belowFirst, second, width)...)
	}
	return beside(first, second, width)
}

// beside returns text folded in what is left of the width beside the first column.
func beside(first, text string, width int) (lines []string) {
	margin := strings.Repeat(" ", Cells(first))
	for _, line := range say.Fold(text, width-len(margin), 0) {
		lines = append(lines, first+line)
		first = margin
	}
	return lines
}

// leastSecond is the least width in which the second of two columns is readable, and belowFirst is what is before it if it is below the
// first.
const (
	leastSecond = 30
	belowFirst  = "      "
)

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
