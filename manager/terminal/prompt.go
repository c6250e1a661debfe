package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"swop/internal/disk"
	"swop/internal/say"
	"swop/shim"
)

// ErrNobody is the error of a question where nobody can be asked.
var ErrNobody = errors.New("there is no terminal")

// keyboard is the terminal itself, whatever stdin and stdout are.
type keyboard struct{ in, out *os.File }

// openTerminal opens the terminal of this process. The error is [ErrNobody] where it has none.
func openTerminal() (keyboard, error) {
	input, output := "/dev/tty", "/dev/tty" // tty(4)
	if runtime.GOOS == "windows" {
		input, output = "CONIN$", "CONOUT$"
	}
	in, err := os.OpenFile(input, os.O_RDWR, 0)
	if err != nil {
		return keyboard{}, ErrNobody
	}
	out, err := os.OpenFile(output, os.O_RDWR, 0)
	if err != nil || !Is(in) {
		_, _ = in.Close(), out.Close() // nothing was written
		return keyboard{}, ErrNobody
	}
	return keyboard{in, out}, nil
}

func (k keyboard) Write(p []byte) (int, error) { return k.out.Write(p) }

func (k keyboard) Close() error { return errors.Join(k.in.Close(), k.out.Close()) }

// Confirm asks the person at the terminal, and reports whether the answer is yes. The error is [ErrNobody], [shim.ErrQuit] after Ctrl-D, or
// the terminal's. Ctrl-C ends the process.
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

// ConfirmOr asks the person at the terminal, and returns an error that wraps [disk.ErrUnsafe] unless the answer is yes; its text ends with
// unchanged, which says what stays as it is.
func ConfirmOr(question, unchanged string) error {
	yes, err := Confirm(question)
	if err == nil && !yes {
		return disk.Unsafe("cancelled; %s", unchanged)
	}
	return err
}

// ConfirmRemoval is [ConfirmOr] for a removal. Without a terminal the hint is command, which does not ask.
func ConfirmRemoval(question, command string) error {
	err := ConfirmOr(question, "nothing was removed")
	if errors.Is(err, ErrNobody) {
		return say.WithHint(disk.Unsafe("confirmation needs a terminal"), command)
	}
	return err
}

// Choose shows the choices, numbered from 1 on, and returns the index of the choice whose number the person at the terminal types, or the
// index that named returns for the typed text. Enter takes the index preset; below 0 there is no preset. The errors are those of [Confirm];
// q leaves, too.
func Choose(choices []string, preset int, named func(string) int) (int, error) {
	tty, err := openTerminal()
	if err != nil {
		return 0, err
	}
	defer tty.Close()
	for i, choice := range choices {
		fmt.Fprintln(tty, Cut(fmt.Sprintf("%1s %3d  %s", Mark(i == preset), 1+i, choice), say.Width(tty.out)))
	}
	prompt := "number or label: "
	if preset >= 0 {
		prompt = fmt.Sprintf("number or label [%d]: ", 1+preset)
	}
	for {
		answer, err := ask(tty, prompt)
		n, invalid := strconv.Atoi(answer)
		switch {
		case err != nil:
			return 0, err
		case answer == "" && preset >= 0:
			return preset, nil
		case invalid == nil && n >= 1 && n <= len(choices):
			return n - 1, nil
		case named(answer) >= 0:
			return named(answer), nil
		case answer == "q":
			return 0, shim.ErrQuit
		}
		fmt.Fprintln(tty, say.Printable(fmt.Sprintf("%q is not one of these; q leaves", answer)))
	}
}

// ask returns the line typed after the prompt, without spaces around it. The error is [shim.ErrQuit] after Ctrl-D.
func ask(tty keyboard, prompt string) (string, error) {
	lines := say.Fold(say.Printable(prompt), say.Width(tty.out), 0)
	if _, err := io.WriteString(tty, strings.Join(lines, "\n")); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(tty.in).ReadString('\n')
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(tty) // the next line begins at the left
		err = shim.ErrQuit
	}
	return strings.TrimSpace(line), err
}
