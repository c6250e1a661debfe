//go:build unix

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// ExchangeDirs swaps two directories at once. If the file system cannot, [NoSuchRename] reports true of the error.
func ExchangeDirs(a, b string) error {
	if err := renameExchange(unix.AT_FDCWD, a, unix.AT_FDCWD, b); err != nil {
		return &os.LinkError{Op: "rename", Old: a, New: b, Err: err}
	}
	return nil
}
