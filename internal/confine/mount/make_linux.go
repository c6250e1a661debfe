package mount

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// makeIn makes a directory or an empty file below top, and the directories above it. The error wraps [fs.ErrExist] for one that is there.
func makeIn(top int, path string, mode uint32) error {
	return inDir(top, path, func(dir int, name string) error {
		if mode&unix.S_IFMT == unix.S_IFDIR {
			return unix.Mkdirat(dir, name, mode&^unix.S_IFMT)
		}
		return unix.Mknodat(dir, name, unix.S_IFREG|0o600, 0)
	})
}

// inDir calls do with the directory of a path, which is made if it is missing.
func inDir(top int, path string, do func(dir int, name string) error) error {
	above, name := filepath.Split(filepath.Join("/", path))
	dir, err := openIn(top, above)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeIn(top, filepath.Dir(path), unix.S_IFDIR|0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		dir, err = openIn(top, above)
	}
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	if err := do(dir, name); err != nil {
		return &fs.PathError{Op: "make", Path: path, Err: err}
	}
	return nil
}
