//go:build unix

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// ExchangeDirs swaps two directories at once. The error is as [noSuchRename] wants it where the file system cannot.
func ExchangeDirs(a, b string) error {
	if err := renameExchange(unix.AT_FDCWD, a, unix.AT_FDCWD, b); err != nil {
		return &os.LinkError{Op: "rename", Old: a, New: b, Err: err}
	}
	return nil
}
