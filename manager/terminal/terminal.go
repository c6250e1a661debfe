// Package terminal, swop's own, shows answers to people and asks them: tables, colours, prompts. It knows streams and widths,
// and no account.
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

// Streams are the standard streams of a command.
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

// Sentences returns the lines of sentences, folded to the width of stdout. Each sentence begins a line.
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

// Width returns how many columns stdout has.
func (s Streams) Width() int { return say.Width(s.Stdout) }

// Cells returns how many columns of a terminal the text takes.
func Cells(text string) int { return runewidth.StringWidth(text) }

// Cut returns the text, or if it is wider than width columns its beginning and an ellipsis.
func Cut(text string, width int) string { return runewidth.Truncate(text, width, "…") }

// Ago returns the time since t for people, "never" for nil, or the date if t is not within the last sixty days.
func Ago(now time.Time, t *time.Time) string {
	if t == nil {
		return "never"
	}
	switch d := now.Sub(*t); {
	case d < -time.Minute, d >= 60*24*time.Hour:
		return t.Format(time.DateOnly)
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return fmt.Sprintf("%d days ago", d/(24*time.Hour))
	}
}

// Counted returns the number with its noun.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
