//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"swop/say"
)

// show prints lines that are painted, or plain already.
func (a *app) show(lines []string) error {
	_, err := fmt.Fprintln(a.stdout, strings.Join(lines, "\n"))
	return err
}

// style is how a piece of text is set off on a terminal that shows colours (ECMA-48, select graphic rendition).
type style string

const (
	bold   style = "1"
	faint  style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// paint returns s in the style, where stdout is a terminal that wants colours. What else a terminal could act on is escaped in any case.
func (a *app) paint(how style, s string) string {
	s = say.Printable(s)
	if s == "" || !a.colours() {
		return s
	}
	return "\x1b[" + string(how) + "m" + s + "\x1b[0m"
}

// colours reports whether colours are wanted: see https://no-color.org.
func (a *app) colours() bool {
	return a.env.Value("NO_COLOR") == "" && a.able() && isTerminal(a.stdout)
}

// able reports whether the terminal can do more than print lines.
func (a *app) able() bool {
	kind := a.env.Value("TERM")
	return kind != "" && kind != "dumb"
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// unbounded is the width of an output that is no terminal: nothing is cut there.
const unbounded = 1 << 30

// narrow is where two columns side by side leave too little room for the second.
const narrow = 50

// width is how many columns stdout has.
func (a *app) width() int {
	if !isTerminal(a.stdout) {
		return unbounded
	}
	return columnsOf(a.stdout)
}

// fold parts running text between words where it has no room in width; the lines after the first begin with indent spaces. A word that is
// wider by itself stays whole: it may be a path that somebody copies.
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

// columnsOf is how many columns a terminal has.
func columnsOf(terminal *os.File) int {
	columns, _, err := term.GetSize(int(terminal.Fd()))
	if err != nil || columns <= 0 {
		return 80 // it does not know
	}
	return columns
}
