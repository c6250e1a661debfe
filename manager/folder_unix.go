//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// folder is an open directory. Its methods take the name of an entry, a single component, and never follow a link at it: what
// another process puts in the way cannot lead outside.
type folder struct {
	path string
	file *os.File
}

// openFolder opens the directory at path. A link at its last component is followed only where follow says so: the shared home may
// be a link, a sandbox may not.
func openFolder(path string, follow followLink) (folder, error) {
	flags := unix.O_RDONLY | unix.O_DIRECTORY
	if follow == refuseLink {
		flags |= unix.O_NOFOLLOW
	}
	f, err := os.OpenFile(path, flags, 0)
	return folder{path, f}, err
}

type followLink bool

const (
	followsLink followLink = true
	refuseLink  followLink = false
)

func (d folder) close() error { return d.file.Close() }
func (d folder) fd() int      { return int(d.file.Fd()) }

func (d folder) fail(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: filepath.Join(d.path, name), Err: err}
}

// entries returns what the directory holds, by name, with the types that the listing itself tells.
func (d folder) entries() (map[string]fs.FileMode, error) {
	if _, err := d.file.Seek(0, 0); err != nil {
		return nil, err
	}
	list, err := d.file.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]fs.FileMode, len(list))
	for _, entry := range list {
		byName[entry.Name()] = entry.Type()
	}
	return byName, nil
}

// readlink returns the target of the link called name, "" if there is no link.
func (d folder) readlink(name string) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(d.fd(), name, buf)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
		return "", nil
	}
	if err != nil {
		return "", d.fail("readlink", name, err)
	}
	return string(buf[:n]), nil
}

// symlink makes a link; one that is there already, whatever it is, stays and is no error: the next look judges it.
func (d folder) symlink(target, name string) error {
	err := unix.Symlinkat(target, d.fd(), name)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return d.fail("symlink", name, err)
}

// relink replaces the link called name by one to target, with no moment between in which there is none.
func (d folder) relink(target, name string) error {
	tmp := temporaryName()
	if err := unix.Symlinkat(target, d.fd(), tmp); err != nil {
		return d.fail("symlink", tmp, err)
	}
	if err := unix.Renameat(d.fd(), tmp, d.fd(), name); err != nil {
		return errors.Join(d.fail("rename", name, err), d.unlink(tmp))
	}
	return nil
}

// unlink removes an entry that is no directory; one that is gone already is no error.
func (d folder) unlink(name string) error {
	err := unix.Unlinkat(d.fd(), name, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return d.fail("unlink", name, err)
}

// mkdir makes a directory, owner-only; one that is there already is no error.
func (d folder) mkdir(name string) error {
	err := unix.Mkdirat(d.fd(), name, 0o700)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return d.fail("mkdir", name, err)
}

// hardlink gives from's file called name a second name here, the same; one that is there already is no error.
func (d folder) hardlink(from folder, name string) error {
	err := unix.Linkat(from.fd(), name, d.fd(), name, 0)
	if errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT) {
		return nil
	}
	return d.fail("link", name, err)
}
