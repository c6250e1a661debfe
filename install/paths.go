package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"swop/internal/disk"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isMissing reports whether err says that a path names nothing, also where a file is in the place of a directory on the way.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// lookPath returns the program that a shell with this PATH runs, "" if it is not found, or only by a relative entry.
func lookPath(name, path string) string {
	file, err := disk.OnPath(name, path)
	if err != nil || !filepath.IsAbs(file) {
		return ""
	}
	return file
}

// withoutPath returns err without the path in it, for a message that has named the path already.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
