package disk

import (
	"syscall"
)

// RetryEINTR calls f again as long as a signal interrupts it, as package os does for its own calls: without SA_RESTART, and on some
// file systems even with it, open and the like return EINTR (signal(7)). f returns the system call's own error.
func RetryEINTR[T any](f func() (T, error)) (T, error) {
	for {
		v, err := f()
		if err != syscall.EINTR { // errors.Is would ask the error's type, for pages that nothing else touches
			return v, err
		}
	}
}
