package disk

import (
	"errors"
	"path/filepath"
	"strings"

	"swop/internal/disk/sys"
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
	return d.Err("remove", name, sys.Errno(d.removeAll(name)))
}

// removeAll removes an entry with all below it. A program can nest directories deeper than a process can have open: directories two levels
// below the entry move up one, until there are none.
func (d Dir) removeAll(name string) error {
	i, err := d.Stat(name)
	if err != nil || !i.IsDir() {
		return errors.Join(err, d.Unlink(name))
	}
	top, err := d.openUnlocked(name)
	for more := true; err == nil && more; {
		more, err = top.empty(func(child string) error {
			below, err := top.openUnlocked(child)
			if err == nil {
				_, err = below.empty(func(deep string) error { return below.Move(deep, top, TempName()) })
			}
			return errors.Join(err, below.Close(), top.rmdir(child))
		})
	}
	return errors.Join(err, top.Close(), d.rmdir(name))
}

// empty removes all entries of the directory, each directory by the function, and reports whether there were any.
func (d Dir) empty(remove func(child string) error) (were bool, err error) {
	entries, err := d.Entries()
	for name, mode := range entries {
		if !mode.IsDir() {
			err = errors.Join(err, d.Unlink(name))
		} else if d.rmdir(name) != nil { // an empty one goes, whoever it belongs to
			err = errors.Join(err, remove(name))
		}
	}
	return len(entries) > 0, err
}

// openUnlocked opens a directory that is to be emptied. Its mode may lock its owner out: Go's module cache, for one, is read-only.
func (d Dir) openUnlocked(name string) (Dir, error) {
	if i, err := d.Stat(name); err != nil || i.mode&0o700 != 0o700 {
		_ = d.root.Chmod(name, 0o700) // the next calls fail if this one does
	}
	return d.OpenDir(name)
}
