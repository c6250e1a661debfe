//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"swop/say"
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
	switch err := unix.Unlinkat(d.Fd(), name, 0); {
	case errors.Is(err, unix.EISDIR):
		return ErrChanged
	case errors.Is(err, unix.EBUSY):
		return d.Mounted(name)
	default:
		return d.Err("unlink", name, Ignore(err, unix.ENOENT))
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
		return err
	}
	var left []error
	for _, child := range slices.Sorted(maps.Keys(names)) {
		left = append(left, r.entry(in, child, depth+1))
	}
	if err := errors.Join(left...); err != nil {
		return err
	}
	switch err := unix.Unlinkat(d.Fd(), name, unix.AT_REMOVEDIR); {
	case errors.Is(err, unix.ENOTEMPTY), errors.Is(err, unix.EEXIST), errors.Is(err, unix.ENOTDIR):
		return ErrChanged
	default:
		return d.Err("rmdir", name, Ignore(err, unix.ENOENT))
	}
}

// moveUp moves a directory to the top, to be removed from there. Cut off, it is what a later run removes.
func (r *removal) moveUp(d Dir, name string) error {
	to := CopyName()
	switch err := d.Move(name, r.top, to); {
	case errors.Is(err, unix.ENOENT):
		return nil
	case errors.Is(err, unix.EBUSY):
		return d.Mounted(name)
	case err != nil:
		return d.Err("rename", name, err)
	}
	r.deep = append(r.deep, to)
	return nil
}

// Mounted refuses to touch a mount point.
func (d Dir) Mounted(name string) error {
	path := filepath.Join(d.Path, name)
	err := Unsafe("%s: is a mount point, left as it is", say.Name(path))
	if say.Name(path) != path {
		return err
	}
	return say.WithHint(err, "umount "+say.ShellQuote(path))
}

// Narrow makes a file owner-only.
func (d Dir) Narrow(name string) error {
	f, err := d.open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}
