//go:build unix

package manager

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// errAgain says that a program was faster: look again.
var errAgain = errors.New("changed meanwhile")

// again turns the errors of a program that was faster into errAgain.
func again(err error) error {
	if errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT) {
		return errAgain
	}
	return err
}

// againAfter returns errAgain if what had to be done before succeeded, else why it did not: in errAgain that would be lost.
func againAfter(err error) error {
	if err != nil {
		return err
	}
	return errAgain
}

// undone returns why a step failed or, if it is so, why it could not be undone: the former is of no weight to a caller then that knows what
// to do about it, as about a name that is taken.
func undone(err, undo error) error {
	switch {
	case undo == nil:
		return err
	case errors.Is(err, errAgain):
		return undo
	}
	return fmt.Errorf("%w, after %v", undo, err)
}
