//go:build unix

package terminal

// The file of the controlling terminal (tty(4)).
const (
	keyboardFile = "/dev/tty"
	screenFile   = keyboardFile
)
