//go:build unix && !linux

package disk

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// rewind does nothing: each listing opens the directory again.
func (d Dir) rewind() error { return nil }

// Each calls f for each entry that the directory holds, with its type and inode.
func (d Dir) Each(f func(name string, entry Entry) error) error {
	list, err := d.list()
	if err != nil {
		return err
	}
	for _, e := range list {
		i, err := d.Stat(e.Name())
		if err != nil {
			return err
		}
		if err := f(e.Name(), Entry{e.Type(), i.Ino}); err != nil {
			return err
		}
	}
	return nil
}

// list opens the directory again: a duplicate would share the place that the last listing ended at.
func (d Dir) list() ([]fs.DirEntry, error) {
	fd, err := unix.Openat(d.Fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, d.Err("open", "", err)
	}
	file := os.NewFile(uintptr(fd), d.Path)
	defer file.Close()
	return file.ReadDir(-1)
}
