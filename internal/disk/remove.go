package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// RemoveAll removes the entry called name in d, which is ours, with all below it. One that is gone already is no error. Whatever a program
// that is still there puts in the way meanwhile, no link is followed. Where there is a mount point, nothing is removed: a device number
// would not tell the bind mount of a directory. What cannot be removed is left, and named.
func RemoveAll(d Dir, name string) error {
	mounts, err := mountPoints()
	if err != nil {
		return d.Err("remove", name, err)
	}
	path := filepath.Join(Resolve(d.Path), name)
	for _, at := range mounts {
		if at == path || strings.HasPrefix(at, path+separator) {
			return Mounted(at)
		}
	}
	err = d.removeAll(name)
	if errors.Is(err, fs.ErrPermission) { // a mode locks its owner out: Go's module cache, for one, is read-only
		_ = filepath.WalkDir(filepath.Join(d.Path, name), func(at string, entry fs.DirEntry, _ error) error {
			if below, err := filepath.Rel(d.Path, at); err == nil && entry != nil && entry.IsDir() {
				_ = d.root.Chmod(below, 0o700) // else the next call says it
			}
			return nil
		})
		err = d.removeAll(name)
	}
	if defect, ok := errors.AsType[*fs.PathError](err); ok { // names the entry by itself
		err = defect.Err
	}
	return d.Err("remove", name, err)
}
