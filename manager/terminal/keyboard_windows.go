package terminal

import "os"

// openTerminal opens the console. A process without one has neither file.
func openTerminal() (keyboard, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return keyboard{}, ErrNobody
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil || !Is(in) {
		_ = in.Close() // nothing was read
		return keyboard{}, ErrNobody
	}
	return keyboard{in, out}, nil
}
