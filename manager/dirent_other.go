//go:build unix && !linux

package manager

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// entries returns what the directory holds, by name, with types and inodes.
func (d folder) entries() (map[string]dirent, error) {
	list, err := d.list()
	if err != nil {
		return nil, err
	}
	byName := make(map[string]dirent, len(list))
	for _, e := range list {
		entry := dirent{mode: e.Type()}
		if e.Type()&fs.ModeSymlink != 0 {
			i, err := d.stat(e.Name())
			if err != nil {
				return nil, err
			}
			entry.ino = i.ino
		}
		byName[e.Name()] = entry
	}
	return byName, nil
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
