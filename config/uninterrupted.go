package config

import (
	"errors"
	"syscall"
)

// Uninterrupted calls f again as long as a signal interrupts it, as package os does for its own calls: without SA_RESTART, and on some
// file systems even with it, open and the like return EINTR (signal(7)).
func Uninterrupted[T any](f func() (T, error)) (T, error) {
	for {
		v, err := f()
		if !errors.Is(err, syscall.EINTR) {
			return v, err
		}
	}
}
