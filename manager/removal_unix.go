//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"swop/config"
)

// removal removes trees of ours. It acts on open directories and single names: whatever a program that is still there puts in the way
// meanwhile, no link is followed and no mount point is entered. What cannot be removed is left, and named.
type removal struct {
	top  folder   // where what lies too deep is moved to
	deep []string // the names that it has there
}

// maxDepth bounds the directories that are open at once: the common limit on open files is 1,024 (getrlimit(2)).
const maxDepth = 100

// remove removes the entry called name in d with all below it. One that is gone already is no error.
func (r *removal) remove(d folder, name string) error {
	left := []error{r.entry(d, name, 0)}
	for len(r.deep) > 0 {
		next := r.deep[0]
		r.deep = r.deep[1:]
		left = append(left, r.entry(r.top, next, 0))
	}
	return errors.Join(left...)
}

func (r *removal) entry(d folder, name string, depth int) error {
	for range rounds {
		err := r.once(d, name, depth)
		if !errors.Is(err, errAgain) {
			return err
		}
	}
	return d.fail("remove", name, errors.New("a program puts new entries there"))
}

func (r *removal) once(d folder, name string, depth int) error {
	i, err := d.stat(name)
	if err != nil || !i.exists() {
		return err
	}
	if i.isDir() {
		return r.directory(d, name, depth)
	}
	switch err := unix.Unlinkat(d.fd(), name, 0); {
	case errors.Is(err, unix.EISDIR):
		return errAgain
	case errors.Is(err, unix.EBUSY):
		return d.mounted(name)
	default:
		return d.fail("unlink", name, ignore(err, unix.ENOENT))
	}
}

func (r *removal) directory(d folder, name string, depth int) error {
	in, err := d.enter(name)
	if errors.Is(err, fs.ErrPermission) && d.rmdir(name) == nil {
		return nil // another user's, but empty
	}
	if err != nil {
		return err
	}
	defer in.close()
	if depth == maxDepth {
		return r.moveUp(d, name)
	}
	names, err := in.entries()
	if err != nil {
		return err
	}
	var left []error
	for _, child := range slices.Sorted(maps.Keys(names)) {
		left = append(left, r.entry(in, child, depth+1))
	}
	if err := errors.Join(left...); err != nil {
		return err
	}
	switch err := unix.Unlinkat(d.fd(), name, unix.AT_REMOVEDIR); {
	case errors.Is(err, unix.ENOTEMPTY), errors.Is(err, unix.EEXIST), errors.Is(err, unix.ENOTDIR):
		return errAgain
	default:
		return d.fail("rmdir", name, ignore(err, unix.ENOENT))
	}
}

// moveUp moves a directory to the top, to be removed from there. Cut off, it is what a later run removes.
func (r *removal) moveUp(d folder, name string) error {
	to := copyName()
	switch err := d.move(name, r.top, to); {
	case errors.Is(err, unix.ENOENT):
		return nil
	case errors.Is(err, unix.EBUSY):
		return d.mounted(name)
	case err != nil:
		return d.fail("rename", name, err)
	}
	r.deep = append(r.deep, to)
	return nil
}

// mounted refuses to touch a mount point.
func (d folder) mounted(name string) error {
	path := filepath.Join(d.path, name)
	err := unsafe("%s: is a mount point, left as it is", Shown(path))
	if Shown(path) != path {
		return err
	}
	return config.WithHint(err, "umount "+ShellQuote(path))
}
