//go:build unix

package disk

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ErrChanged says that a program was faster: look again.
var ErrChanged = errors.New("changed meanwhile")

// Changed turns the errors of a program that was faster into errAgain.
func Changed(err error) error {
	if errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT) {
		return ErrChanged
	}
	return err
}

// ChangedAfter returns errAgain if what had to be done before succeeded, else why it did not: in errAgain that would be lost.
func ChangedAfter(err error) error {
	if err != nil {
		return err
	}
	return ErrChanged
}

// Undone returns why a step failed or, if it is so, why it could not be undone: the former is of no weight to a caller then that knows what
// to do about it, as about a name that is taken.
func Undone(err, undo error) error {
	switch {
	case undo == nil:
		return err
	case errors.Is(err, ErrChanged):
		return undo
	}
	return fmt.Errorf("%w, after %v", undo, err)
}

func Ignore(err error, harmless ...error) error {
	for _, h := range harmless {
		if errors.Is(err, h) {
			return nil
		}
	}
	return err
}
