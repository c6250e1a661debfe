//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
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

// CreateFile makes file with data, 0600, whole or not at all; the error wraps fs.ErrExist where there is one.
func CreateFile(file string, data []byte) error {
	tmp, err := CreateTemp(file)
	if err != nil {
		return err
	}
	if err = Fill(tmp, data); err == nil {
		err = os.Link(tmp.Name(), file)
	}
	if err := errors.Join(err, os.Remove(tmp.Name())); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(file))
}
