//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"swop/shim"
)

// errNoTerminal is the error of a question where nobody can be asked.
var errNoTerminal = errors.New("there is no terminal")

// askNumber returns the number of the choice that the person at the terminal picks; they are numbered from first on. Enter picks current, if that is not below first. It
// asks on the terminal itself, whatever stdin and stdout are.
func (a *app) askNumber(choices []string, first, current int) (int, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return 0, errNoTerminal
	}
	defer tty.Close()
	p := &picker{tty: tty, choices: choices, first: first, current: current}
	if p.measure(); !a.isDumb() && p.width >= leastWidth && p.height > 1 {
		before, err := term.MakeRaw(int(tty.Fd()))
		if err != nil {
			return 0, err
		}
		defer func() { _ = term.Restore(int(tty.Fd()), before) }() // fails only if the terminal is gone
		p.raw = true
	}
	return p.ask()
}

// picker asks for the number of a choice. On a raw terminal it shows the choices in pages and erases them; on a dumb one it prints lines.
type picker struct {
	tty           *os.File
	choices       []string
	first         int // the number of the first choice
	current       int // the number that Enter picks, below first for none
	raw           bool
	width, height int
	shown         []string // the lines on the raw terminal; the cursor is in the last
}

const (
	leastWidth = 12 // room for the beginning of the prompt and an answer
	maxTyped   = 5  // the longest answer on a raw terminal
)

func (p *picker) measure() {
	var err error
	if p.width, p.height, err = term.GetSize(int(p.tty.Fd())); err != nil || p.width <= 0 {
		p.width, p.height = unbounded, 0
	}
}

// ask returns the number that the person picks. If they quit or the terminal is closed, the error is [shim.ErrQuit].
func (p *picker) ask() (int, error) {
	page, wrong := len(p.choices), ""
	if p.raw {
		page = min(page, p.height-1)
	}
	for from := max(p.current-p.first, 0) / page * page; ; {
		answer, err := p.show(from, min(from+page, len(p.choices)), wrong)
		p.erase()
		n, invalid := strconv.Atoi(answer)
		switch {
		case err != nil || answer == "q":
			return 0, shim.ErrQuit
		case answer == "" && p.current >= p.first:
			return p.current, nil
		case answer == " ":
			if from += page; from >= len(p.choices) {
				from = 0
			}
		case invalid == nil && n >= p.first && n <= p.last():
			return n, nil
		default:
			wrong = fmt.Sprintf(", not %q", answer)
		}
	}
}

// last returns the number of the last choice.
func (p *picker) last() int { return p.first + len(p.choices) - 1 }

// show prints the choices from one index to before another, and returns the answer.
func (p *picker) show(from, to int, wrong string) (string, error) {
	for i, choice := range p.choices[from:to] {
		n := p.first + from + i
		p.print(fmt.Sprintf("%1s %3d  %s", mark(n == p.current), n, choice), p.width-1, "\n")
	}
	prompt := fmt.Sprintf("%d-%d%s", p.first, p.last(), wrong) // what matters most comes first: the rest may be cut
	if p.current >= p.first {
		prompt += fmt.Sprintf(", Enter: %d", p.current)
	}
	if to-from < len(p.choices) {
		prompt += ", space: more"
	}
	p.print(prompt+", q: quit", p.width-maxTyped-3, ": ")
	if p.raw {
		return p.readKeys()
	}
	line, err := bufio.NewReader(p.tty).ReadString('\n')
	return strings.TrimSpace(line), err
}

// print prints a line, cut to width, and its end. A raw terminal does not wrap it (DECAWM), even if a character is wider than we count.
func (p *picker) print(line string, width int, end string) {
	line = cut(line, width)
	if p.raw {
		p.shown = append(p.shown, line)
		line, end = "\x1b[?7l"+line+"\x1b[?7h", strings.ReplaceAll(end, "\n", "\r\n")
	}
	fmt.Fprint(p.tty, line, end)
}

// readKeys returns what is typed on a raw terminal up to Enter; q and space need none. It reads single keys: what is typed ahead is the
// shell's.
func (p *picker) readKeys() (string, error) {
	var line, key []byte = nil, make([]byte, 1)
	for {
		if _, err := p.tty.Read(key); err != nil {
			return "", err
		}
		switch c := key[0]; {
		case c == 0, c == 3, c == 4: // Ctrl-C and Ctrl-D, which is 0 if typed before the terminal was raw
			return "", io.EOF
		case c == '\r', c == '\n':
			return string(line), nil
		case len(line) == 0 && (c == 'q' || c == ' '):
			return string(key), nil
		case c == '\b', c == 127:
			if len(line) > 0 {
				line = line[:len(line)-1]
				fmt.Fprint(p.tty, "\b \b")
			}
		case len(line) < maxTyped:
			if c < ' ' || c > '~' {
				c = '?' // shown, so that the answer is not taken for an empty one
			}
			line = append(line, c)
			fmt.Fprintf(p.tty, "%c", c)
		}
	}
}

// erase clears the lines of a raw terminal one by one: clearing the screen would move it to the scrollback. If the window is narrower by now,
// it has wrapped the lines.
func (p *picker) erase() {
	p.measure()
	rows := 0
	for _, line := range p.shown {
		rows += 1 + max(0, cellWidth(line)-1)/p.width
	}
	if p.shown = nil; rows > 0 {
		fmt.Fprint(p.tty, strings.Repeat("\x1b[2K\x1b[A", rows-1), "\x1b[2K\r")
	}
}
