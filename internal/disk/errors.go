package disk

import (
	"errors"
	"fmt"

	"swop/internal/disk/sys"
	"swop/internal/say"
)

// ErrChanged says that another program changed an entry meanwhile: look again.
var ErrChanged = errors.New("changed meanwhile")

// Changed returns [ErrChanged] for the errors that mean that another program was faster, and any other error as it is.
func Changed(err error) error {
	if errors.Is(err, sys.EEXIST) || errors.Is(err, sys.ENOENT) {
		return ErrChanged
	}
	return err
}

// ChangedAfter returns [ErrChanged] if err, of what had to be done before, is nil, else err.
func ChangedAfter(err error) error {
	if err != nil {
		return err
	}
	return ErrChanged
}

// Undone returns why a step failed and, if undoing or ending it failed too, why that did. A caller knows what to do about [ErrChanged], so
// the second error then hides it.
func Undone(err, undo error) error {
	switch {
	case undo == nil:
		return err
	case err == nil, errors.Is(err, ErrChanged):
		return undo
	}
	return fmt.Errorf("%w, after %v", undo, err)
}

// ErrUnsafe is the kind of what is refused for safety.
var ErrUnsafe = errors.New("refused for safety")

// Unsafe returns a refusal that wraps [ErrUnsafe].
func Unsafe(format string, args ...any) error {
	return say.Refuse(ErrUnsafe, fmt.Sprintf(format, args...))
}
