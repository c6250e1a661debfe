package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"swop/internal/disk"
	"swop/internal/say"
	"swop/shim"
)

// ErrNobody is the error of a question where nobody can be asked.
var ErrNobody = errors.New("there is no terminal")

// CanAsk reports whether there is somebody to ask.
func CanAsk() bool {
	tty, err := openTerminal()
	return err == nil && tty.Close() == nil
}

// keyboard is the terminal itself, whatever stdin and stdout are.
type keyboard struct{ in, out *os.File }

// openTerminal opens the terminal of this process. The error is [ErrNobody] where it has none.
func openTerminal() (keyboard, error) {
	in, err := os.OpenFile(keyboardFile, os.O_RDWR, 0)
	if err != nil {
		return keyboard{}, ErrNobody
	}
	out, err := os.OpenFile(screenFile, os.O_RDWR, 0)
	if err != nil || !Is(in) {
		_, _ = in.Close(), out.Close() // nothing was written
		return keyboard{}, ErrNobody
	}
	return keyboard{in, out}, nil
}

func (k keyboard) Write(p []byte) (int, error) { return k.out.Write(p) }

func (k keyboard) Close() error { return errors.Join(k.in.Close(), k.out.Close()) }

// Confirm asks the person at the terminal, and returns whether the answer is yes. The error is [ErrNobody], [shim.ErrQuit] if the person
// left by Ctrl-C or Ctrl-D, or the terminal's.
func Confirm(question string) (bool, error) {
	answer, err := answerTo(question + " [y/N] ")
	return answer == "y" || answer == "yes", err
}

// Offer is [Confirm] where Enter is yes.
func Offer(question string) (bool, error) {
	answer, err := answerTo(question + " [Y/n] ")
	return err == nil && (answer == "" || answer == "y" || answer == "yes"), err
}

func answerTo(prompt string) (string, error) {
	tty, err := openTerminal()
	if err != nil {
		return "", err
	}
	defer tty.Close()
	answer, err := ask(tty, "swop: "+prompt)
	return strings.ToLower(answer), err
}

// ConfirmOr asks the person at the terminal, and returns an error unless the answer is yes; its text ends with kept, what stays as it is.
func ConfirmOr(question, kept string) error {
	yes, err := Confirm(question)
	if err == nil && !yes {
		return disk.Unsafe("cancelled; %s", kept)
	}
	return err
}

// ConfirmRemoval asks whether to remove something, and returns an error unless the answer is yes. command is one that does not ask.
func ConfirmRemoval(question, command string) error {
	yes, err := Confirm(question)
	switch {
	case errors.Is(err, shim.ErrQuit):
		return err
	case err != nil:
		return say.WithHint(disk.Unsafe("confirmation needs a terminal"), command)
	case !yes:
		return disk.Unsafe("cancelled; nothing was removed")
	}
	return nil
}

// Choose shows the choices, numbered from first on, and returns the number that the person at the terminal types. Enter takes the number
// preset, of the choice that the prompt calls by name; there is none if name is "". The errors are those of [Confirm]; q leaves, too.
func Choose(choices []string, first, preset int, name string) (int, error) {
	tty, err := openTerminal()
	if err != nil {
		return 0, err
	}
	defer tty.Close()
	width := say.Width(tty.out)
	for i, choice := range choices {
		fmt.Fprintln(tty, Cut(fmt.Sprintf("%1s %3d  %s", Mark(name != "" && first+i == preset), first+i, choice), width))
	}
	last := first + len(choices) - 1
	prompt := fmt.Sprintf("%d-%d", first, last)
	if name != "" { // at the bottom: a small terminal may have scrolled its line away
		prompt += fmt.Sprintf(", Enter: %d (%s)", preset, Cut(name, max(min(width-promptWidth, mostName), leastName)))
	}
	prompt += ", q: quit: "
	for {
		answer, err := ask(tty, prompt)
		n, invalid := strconv.Atoi(answer)
		switch {
		case err != nil:
			return 0, err
		case answer == "q":
			return 0, shim.ErrQuit
		case answer == "" && name != "":
			return preset, nil
		case invalid == nil && n >= first && n <= last:
			return n, nil
		}
		fmt.Fprintln(tty, say.Printable(fmt.Sprintf("%q is not one of the numbers", answer)))
	}
}

// mostName is the width that the name of a choice is cut to in a prompt, which then fits in one line.
const (
	promptWidth         = 30 // of what is asked, without the name
	leastName, mostName = 10, 40
)

// ask returns the line that is typed after the prompt, without spaces around it.
func ask(tty keyboard, prompt string) (string, error) {
	lines := say.Fold(say.Printable(prompt), say.Width(tty.out), 0)
	if _, err := io.WriteString(tty, strings.Join(lines, "\n")); err != nil {
		return "", err
	}
	line, err := readLine(tty)
	if errors.Is(err, shim.ErrQuit) {
		fmt.Fprintln(tty) // what follows begins at the left
	}
	return strings.TrimSpace(line), err
}

// readLine returns the line that is typed; [shim.ErrQuit] after Ctrl-C or Ctrl-D.
func readLine(tty keyboard) (string, error) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	var line string
	read := make(chan error, 1)
	go func() {
		var err error
		line, err = bufio.NewReader(tty.in).ReadString('\n')
		read <- err
	}()
	select {
	case <-interrupted:
		return "", shim.ErrQuit
	case err := <-read:
		if errors.Is(err, io.EOF) {
			return "", shim.ErrQuit
		}
		return line, err
	}
}
