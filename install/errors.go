//go:build unix

package install

import (
	"errors"
	"fmt"

	"swop/say"
)

// ErrUsage is the kind of the errors about an option that cannot be used. Nothing was changed when one is returned, nor with one that
// wraps [disk.ErrUnsafe].
var ErrUsage = errors.New("bad argument")

func usage(format string, args ...any) error {
	return say.Refuse(ErrUsage, fmt.Sprintf(format, args...))
}
