//go:build unix

package terminal

import "os"

func openTerminal() (keyboard, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return keyboard{}, ErrNobody
	}
	return keyboard{tty, tty}, nil
}
