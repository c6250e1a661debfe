//go:build unix && !linux

package manager

import (
	"io"
	"io/fs"
)

// entries returns what the directory holds, by name, with types and inodes.
func (d folder) entries() (map[string]dirent, error) {
	if _, err := d.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	list, err := d.file.ReadDir(-1)
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
