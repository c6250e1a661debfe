//go:build unix

package disk

import (
	"errors"
	"fmt"

	"swop/say"
)

// ErrUnsafe is the kind of what is refused for safety.
var ErrUnsafe = errors.New("refused for safety")

// Unsafe returns a refusal that wraps [ErrUnsafe].
func Unsafe(format string, args ...any) error {
	return say.Refuse(ErrUnsafe, fmt.Sprintf(format, args...))
}
