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

	"charm.land/bubbles/v2/key"
	"charm.land/huh/v2"
	"golang.org/x/term"

	"swop/say"
)

// errNotChosen says that the person at the terminal chose nothing.
var errNotChosen = errors.New("nothing was chosen")

// pick lets the person at the terminal choose one of the accounts, whatever stdin and stdout are, and returns its label. Without a
// terminal it refuses and names them.
func (a *app) pick(s scene) (string, error) {
	choice, err := a.choose(s)
	if err != nil {
		choice.Label = "" // what is chosen now is only shown
	}
	l, err := a.entries(s, choice)
	if err != nil {
		return "", err
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil || len(l.Accounts) == 0 {
		return "", labelWanted(l)
	}
	defer tty.Close()
	width, height, err := term.GetSize(int(tty.Fd()))
	if err != nil || width <= 0 {
		width = unbounded
	}
	if err != nil || width <= menuFrame || height < 3 || !a.able() || a.env.Value("NO_COLOR") != "" {
		return pickByNumber(tty, l, width)
	}
	return pickFromMenu(tty, l, width, height)
}

// labelWanted is the refusal where nobody can be asked.
func labelWanted(l listAnswer) error {
	if len(l.Accounts) == 0 {
		return say.WithHint(usage("use wants a label, and there are no accounts yet"), "codex swop add work")
	}
	var labels []string
	for _, e := range l.Accounts[:min(len(l.Accounts), maxSummary)] {
		labels = append(labels, strconv.Quote(e.Label))
	}
	if more := len(l.Accounts) - len(labels); more > 0 {
		labels = append(labels, fmt.Sprintf("or one of %d more", more))
	}
	err := say.WithHint(usage("use wants a label, or --none: %s", strings.Join(labels, ", ")), "codex swop use "+say.ShellQuote(l.Accounts[0].Label))
	return say.WithHint(err, "codex swop list")
}

// pickLines are the accounts with their logins, in at most width columns.
func pickLines(l listAnswer, width int) []string {
	columns := []column{
		newColumn("", l.Accounts, func(e listEntry) string { return e.Label }),
		newColumn("", l.Accounts, func(e listEntry) string { return e.Login.text() }),
	}
	lines := layTable(columns)[1:]
	for i, text := range lines {
		lines[i] = cut(text, width)
	}
	return lines
}

// menuFrame is what the menu puts before a line.
const menuFrame = 6

// menuHeight is how many lines the menu has at most: longer ones scroll, and / searches.
const menuHeight = 15

func pickFromMenu(tty *os.File, l listAnswer, width, height int) (string, error) {
	var label string
	var options []huh.Option[string]
	for i, text := range pickLines(l, width-menuFrame) {
		e := l.Accounts[i]
		options = append(options, huh.NewOption(text, e.Label).Selected(e.Active))
	}
	menu := huh.NewSelect[string]().Title("Run codex as").Options(options...).Value(&label)
	if rows := min(menuHeight, height-2); len(options)+1 > rows {
		menu.Height(max(rows, 2))
	}
	keys := huh.NewDefaultKeyMap()
	keys.Quit = key.NewBinding(key.WithKeys("ctrl+c", "esc"))
	form := huh.NewForm(huh.NewGroup(menu)).WithInput(tty).WithOutput(tty).WithKeyMap(keys).WithTheme(huh.ThemeFunc(huh.ThemeBase16))
	err := form.Run()
	if errors.Is(err, huh.ErrUserAborted) {
		err = errNotChosen
	}
	return label, err
}

// numberFrame is what stands before a line of a choice by number.
const numberFrame = 7

// pickByNumber asks in plain lines, as the simplest terminal shows them.
func pickByNumber(tty io.ReadWriter, l listAnswer, width int) (string, error) {
	var text strings.Builder
	for i, described := range pickLines(l, max(width-numberFrame, 1)) {
		fmt.Fprintf(&text, "%1s %3d  %s\n", mark(l.Accounts[i].Active), i+1, described)
	}
	text.WriteString("swop: which account, by number or label? ")
	if _, err := io.WriteString(tty, text.String()); err != nil {
		return "", err
	}
	answer, err := bufio.NewReader(tty).ReadString('\n')
	if err != nil {
		return "", errors.Join(errNotChosen, err)
	}
	return numbered(strings.TrimSpace(answer), l)
}

// numbered returns the label that answer is or counts to. What is a label counts as one, if it were a number.
func numbered(answer string, l listAnswer) (string, error) {
	if answer == "" {
		return "", errNotChosen
	}
	n, err := strconv.Atoi(answer)
	if err != nil || n < 1 || n > len(l.Accounts) {
		return answer, nil // a label, or said to be none
	}
	for _, e := range l.Accounts {
		if names(answer, e.Key) {
			return answer, nil
		}
	}
	return l.Accounts[n-1].Label, nil
}
