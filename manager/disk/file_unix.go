//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"path/filepath"

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
