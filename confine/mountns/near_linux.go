package mountns

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// near opens what lies below top, and keeps the directory open that was used last.
type near struct {
	top  int
	path string // of the directory, "" for none
	fd   int
}

// enter returns the directory of a path, and the name in it.
func (n *near) enter(path string) (dir int, name string, err error) {
	above, name := filepath.Split(filepath.Join("/", path))
	if n.path == above {
		return n.fd, name, nil
	}
	n.leave()
	if n.fd, err = openIn(n.top, above); err == nil {
		n.path = above
	}
	return n.fd, name, err
}

func (n *near) leave() {
	if n.path != "" {
		_ = unix.Close(n.fd) // nothing was written
	}
	n.path = ""
}

// make makes a directory or an empty file, and the directories above it. The error wraps [fs.ErrExist] for one that is there.
func (n *near) make(path string, mode uint32) error {
	return n.inDir(path, func(dir int, name string) error {
		if mode&unix.S_IFMT == unix.S_IFDIR {
			return unix.Mkdirat(dir, name, mode&^unix.S_IFMT)
		}
		return unix.Mknodat(dir, name, unix.S_IFREG|0o600, 0)
	})
}

func (n *near) symlink(to, path string) error {
	return n.inDir(path, func(dir int, name string) error { return unix.Symlinkat(to, dir, name) })
}

// inDir calls do with the directory of a path, which is made if it is missing.
func (n *near) inDir(path string, do func(dir int, name string) error) error {
	dir, name, err := n.enter(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := n.make(filepath.Dir(path), unix.S_IFDIR|0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		dir, name, err = n.enter(path)
	}
	if err != nil {
		return err
	}
	if err := do(dir, name); err != nil {
		return &fs.PathError{Op: "make", Path: path, Err: err}
	}
	return nil
}
