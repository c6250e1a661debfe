//go:build unix && !linux

package manager

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// rewind does nothing: each listing opens the directory anew.
func (d folder) rewind() error { return nil }

// each calls f for each entry that the directory holds, with its type and inode.
func (d folder) each(f func(name string, entry dirent) error) error {
	list, err := d.list()
	if err != nil {
		return err
	}
	for _, e := range list {
		i, err := d.stat(e.Name())
		if err != nil {
			return err
		}
		if err := f(e.Name(), dirent{e.Type(), i.ino}); err != nil {
			return err
		}
	}
	return nil
}

// list opens the directory anew: a duplicate would share the place that the last listing ended at.
func (d folder) list() ([]fs.DirEntry, error) {
	fd, err := unix.Openat(d.fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, d.fail("open", "", err)
	}
	file := os.NewFile(uintptr(fd), d.path)
	defer file.Close()
	return file.ReadDir(-1)
}
