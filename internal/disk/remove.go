package disk

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"swop/internal/disk/sys"
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
	return d.removeAll(name)
}

func (d Dir) removeAll(name string) error {
	const rounds = 8 // in each a program may put new entries there
	for range rounds {
		i, err := d.Stat(name)
		if err != nil || !i.IsDir() {
			return errors.Join(err, d.Unlink(name))
		}
		err = d.empty(name, i)
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		switch gone := d.rmdir(name); {
		case gone == nil, errors.Is(gone, sys.ENOENT):
			return nil
		case err != nil:
			return err
		case !errors.Is(gone, sys.ENOTEMPTY) && !errors.Is(gone, sys.EEXIST) && !errors.Is(gone, sys.ENOTDIR):
			return d.Err("rmdir", name, gone)
		}
	}
	return d.Err("remove", name, errors.New("a program puts new entries there"))
}

// empty removes what is in a directory. A mode that locks its owner out is changed: Go's module cache, for one, is read-only.
func (d Dir) empty(name string, i Stat) error {
	if i.Perm()&0o700 != 0o700 {
		_ = d.root.Chmod(name, 0o700) // else it cannot be opened
	}
	in, err := d.OpenDir(name)
	if err != nil {
		return Ignore(err, ErrChanged, sys.ENOENT, sys.ENOTDIR, sys.ELOOP)
	}
	defer in.Close()
	entries, err := in.Entries()
	left := []error{Ignore(err, fs.ErrNotExist)} // another run has removed it
	for _, child := range slices.Sorted(maps.Keys(entries)) {
		left = append(left, in.removeAll(child))
	}
	return errors.Join(left...)
}
