package testhome

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// OpenTerminal returns the two ends of a new terminal, the second as programs see it. Both are closed when the test ends.
func OpenTerminal(t testing.TB) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	NoError(t, err)
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	NoError(t, err)
	NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	NoError(t, err)
	t.Cleanup(func() { _ = master.Close(); _ = slave.Close() }) // may be closed already
	return master, slave
}
