//go:build unix

package disk

import (
	"fmt"

	"golang.org/x/sys/unix"

	"swop/say"
)

// fewDescriptors are enough to come to an error that can be told.
const fewDescriptors = 16

// CheckDescriptors returns an error where not even a few more files can be opened. Package os has a poller, and where that gets no
// descriptors of its own the runtime ends the program, with all its stacks for a message.
func CheckDescriptors() error {
	for range fewDescriptors {
		fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0) // the runtime has seen to it that 0 is open
		if err != nil {
			err = fmt.Errorf("fewer than %d more files can be opened: %w", fewDescriptors, err)
			return say.WithHint(err, "ulimit -n 1024")
		}
		defer unix.Close(fd)
	}
	return nil
}
