package disk

import (
	"errors"
	"fmt"

	"swop/internal/disk/sys"
	"swop/internal/say"
)

// ErrChanged says that another program changed an entry meanwhile: the caller looks again.
var ErrChanged = errors.New("changed meanwhile")

// Changed returns [ErrChanged] for the errors that mean that another program was faster, and any other error as it is.
func Changed(err error) error {
	if errors.Is(err, sys.EEXIST) || errors.Is(err, sys.ENOENT) {
		return ErrChanged
	}
	return err
}

// ErrUnsafe is wrapped by refusals for safety.
var ErrUnsafe = errors.New("refused for safety")

// Unsafe returns a refusal that wraps [ErrUnsafe].
func Unsafe(format string, args ...any) error {
	return say.Refuse(ErrUnsafe, fmt.Sprintf(format, args...))
}
