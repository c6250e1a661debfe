//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"swop/disk"
	"swop/say"
	"swop/shim"
)

// confirm asks on the terminal itself, whatever stdin and stdout are, and returns whether the answer is yes. Without a terminal it returns an
// error, which is [shim.ErrQuit] if the person left by Ctrl-C or Ctrl-D.
func confirm(question string) (bool, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer tty.Close()
	if _, err := fmt.Fprintf(tty, "%s [y/N] ", say.Printable("swop: "+question)); err != nil {
		return false, err
	}
	line, err := readAnswer(tty)
	if errors.Is(err, shim.ErrQuit) {
		fmt.Fprintln(tty) // what follows begins at the left
	}
	if err != nil {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

// readAnswer returns the line that is typed; [shim.ErrQuit] after Ctrl-C or Ctrl-D.
func readAnswer(tty *os.File) (string, error) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	var line string
	read := make(chan error, 1)
	go func() {
		var err error
		line, err = bufio.NewReader(tty).ReadString('\n')
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

// confirmRemoval asks whether to remove something, and returns an error unless the answer is yes. command is one that does not ask.
func confirmRemoval(question, command string) error {
	yes, err := confirm(question)
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

func hasTerminal() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	return err == nil && tty.Close() == nil
}
