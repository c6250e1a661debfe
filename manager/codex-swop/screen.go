//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"swop/say"
)

// show prints lines that are safe to print already.
func (a *app) show(lines []string) error {
	_, err := fmt.Fprintln(a.stdout, strings.Join(lines, "\n"))
	return err
}

// style is a colour or weight of text on a terminal (ECMA-48, select graphic rendition).
type style string

const (
	bold   style = "1"
	faint  style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// paint returns s, safe to print and in the style if stdout is a terminal with colours (see https://no-color.org).
func (a *app) paint(how style, s string) string {
	s = say.Printable(s)
	if s == "" || a.env.Value("NO_COLOR") != "" || a.isDumb() || !isTerminal(a.stdout) {
		return s
	}
	return "\x1b[" + string(how) + "m" + s + "\x1b[0m"
}

// isDumb reports whether the terminal can only print lines.
func (a *app) isDumb() bool {
	kind := a.env.Value("TERM")
	return kind == "" || kind == "dumb"
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// isInteractive reports whether a person can answer.
func (a *app) isInteractive() bool { return isTerminal(a.stdin) && isTerminal(a.stderr) }

// unbounded is the width of an output that is no terminal: nothing is cut there.
const unbounded = 1 << 30

// narrow is the width below which two columns side by side leave too little room for the second.
const narrow = 50

// width returns how many columns stdout has.
func (a *app) width() int {
	if !isTerminal(a.stdout) {
		return unbounded
	}
	return columnsOf(a.stdout)
}

// columnsOf returns how many columns a terminal has.
func columnsOf(terminal *os.File) int {
	columns, _, err := term.GetSize(int(terminal.Fd()))
	if err != nil || columns <= 0 {
		return 80 // it does not know
	}
	return columns
}

// fold breaks text between words into lines of at most width columns, the later ones indented. A word that is wider stays in one line: it
// may be a path that somebody copies.
func fold(s string, width, indent int) []string {
	lines := []string{""}
	for i, word := range strings.Split(s, " ") {
		last := lines[len(lines)-1]
		switch {
		case i == 0:
			lines[0] = word
		case cellWidth(last)+1+cellWidth(word) <= width:
			lines[len(lines)-1] = last + " " + word
		default:
			lines = append(lines, strings.Repeat(" ", indent)+word)
		}
	}
	return lines
}
