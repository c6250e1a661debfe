//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"swop/say"
)

// confirm asks on the terminal itself, whatever stdin and stdout are; an error means that there is none.
func confirm(question string) (bool, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer tty.Close()
	if _, err := fmt.Fprintf(tty, "%s [y/N] ", say.Printable(question)); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(tty).ReadString('\n')
	if errors.Is(err, io.EOF) {
		return false, nil // Ctrl-D: a person was there, and said nothing
	}
	if err != nil {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
