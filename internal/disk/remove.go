package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// RemoveAll removes the entry called name in d, a directory of swop's, with all below it. A missing entry is no error. No link is followed,
// whatever a running program puts in the way. If there is a mount point below, nothing is removed: a device number would not tell the bind
// mount of a directory. The error names the entry that cannot be removed.
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
				_ = d.root.Chmod(below, 0o700) // the next call fails if this one does
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
