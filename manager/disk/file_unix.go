//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"swop/say"

	"golang.org/x/sys/unix"
)

// Lstat returns the entry at path, through a directory of ours; one that is not there is not an error.
func Lstat(path string) (Stat, error) {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return Stat{}, nil
	}
	if err != nil {
		return Stat{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return StatOf(&st), nil
}

// Resolve returns path with its links resolved as far as it exists.
func Resolve(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(Resolve(dir), filepath.Base(path))
}

// fewDescriptors are enough to come to an error that can be told.
const fewDescriptors = 16

// CheckDescriptors returns an error where not even a few more files can be opened. Package os has a poller, and where that gets no
// descriptors of its own the runtime ends the program, with all its stacks for a message.
func CheckDescriptors() error {
	for range fewDescriptors {
		fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0) // the runtime has seen to it that 0 is open
		if err != nil {
			err = fmt.Errorf("fewer than %d more files can be opened: %w", fewDescriptors, err)
			return say.WithHint(err, "ulimit -n 1024")
		}
		defer unix.Close(fd)
	}
	return nil
}
