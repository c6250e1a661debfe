package disk

import (
	"errors"
	"io/fs"
	"maps"
	"slices"

	"swop/internal/disk/sys"
)

// removal is one call of [RemoveAll].
type removal struct {
	top  Dir      // where what lies too deep is moved to
	deep []string // the names that it has there
}

// MaxDepth bounds the directories that are open at once: the common limit on open files is 1,024 (getrlimit(2)).
const MaxDepth = 100

// RemoveAll removes the entry called name in d, which is ours, with all below it. One that is gone already is no error. It acts on open
// directories and single names: whatever a program that is still there puts in the way meanwhile, no link is followed and no mount point is
// entered. What cannot be removed is left, and named.
func RemoveAll(d Dir, name string) error {
	r := removal{top: d}
	left := []error{r.entry(d, name, 0)}
	for at := 0; at < len(r.deep); at++ {
		left = append(left, r.entry(d, r.deep[at], 0))
	}
	return errors.Join(left...)
}

func (r *removal) entry(d Dir, name string, depth int) error {
	for range Rounds {
		err := r.once(d, name, depth)
		if !errors.Is(err, ErrChanged) {
			return err
		}
	}
	return d.Err("remove", name, errors.New("a program puts new entries there"))
}

func (r *removal) once(d Dir, name string, depth int) error {
	i, err := d.Stat(name)
	if err != nil || !i.Exists() {
		return err
	}
	if i.IsDir() {
		return r.directory(d, name, depth)
	}
	switch err := d.unlink(name); {
	case errors.Is(err, sys.EISDIR):
		return ErrChanged
	case errors.Is(err, sys.EBUSY):
		return d.Mounted(name)
	default:
		return d.Err("unlink", name, Ignore(err, sys.ENOENT))
	}
}

func (r *removal) directory(d Dir, name string, depth int) error {
	in, err := d.Enter(name)
	if errors.Is(err, fs.ErrPermission) && d.Rmdir(name) == nil {
		return nil // another user's, but empty
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if depth == MaxDepth {
		return r.moveUp(d, name)
	}
	names, err := in.Entries()
	if err != nil {
		return Ignore(err, fs.ErrNotExist) // another run has removed it
	}
	var left []error
	for _, child := range slices.Sorted(maps.Keys(names)) {
		left = append(left, r.entry(in, child, depth+1))
	}
	if err := errors.Join(left...); err != nil {
		return err
	}
	switch err := d.rmdir(name); {
	case errors.Is(err, sys.ENOTEMPTY), errors.Is(err, sys.EEXIST), errors.Is(err, sys.ENOTDIR):
		return ErrChanged
	default:
		return d.Err("rmdir", name, Ignore(err, sys.ENOENT))
	}
}

// moveUp moves a directory to the top, to be removed from there. Cut off, it is what a later run removes.
func (r *removal) moveUp(d Dir, name string) error {
	to := CopyName()
	switch err := d.Move(name, r.top, to); {
	case errors.Is(err, sys.ENOENT):
		return nil
	case errors.Is(err, sys.EBUSY):
		return d.Mounted(name)
	case err != nil:
		return d.Err("rename", name, err)
	}
	r.deep = append(r.deep, to)
	return nil
}
