package history

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"swop/account"
	"swop/disk"
	"swop/disk/sys"
	"swop/say"
)

// What cannot be exchanged is copied, and the version that is restored stays in kept/.

// openFiles opens the directory with the version's files.
func (v Version) openFiles(kept disk.Dir) (disk.Dir, error) {
	d, err := disk.OpenBelow(kept.Path, filepath.Join(kept.Path, v.ID, FilesDir))
	return d, gone(err)
}

// byCopies restores what cannot be exchanged. Nobody has it open. What is there is copied to kept/ first, and removed then; a database itself comes
// last: its log is never found beside another one.
func (r restoring) byCopies(present []string) (id string, err error) {
	files, err := r.v.openFiles(r.kept)
	if err != nil {
		return "", err
	}
	defer files.Close()
	if len(present) > 0 {
		if id, err = r.keepCopies(present); err != nil {
			return "", err
		}
	}
	for _, name := range present {
		if err := disk.RemoveAll(r.to, name); err != nil {
			return id, err
		}
	}
	err = r.v.copyTo(files, r.to, r.name)
	r.touch(r.to, r.name)
	return id, err
}

// unfinished begins the names of directories in kept/ with copies that are not complete yet. Their originals are in place, and the run that
// makes them holds the lock of the home.
const unfinished = ".new-"

// keepCopies copies entries of to into a version in kept/, which is complete as soon as it is there.
func (r restoring) keepCopies(names []string) (id string, err error) {
	if err := r.dropUnfinished(); err != nil {
		return "", err
	}
	id = NewID(r.now)
	err = r.fill(unfinished+id, names)
	if err == nil {
		err = r.kept.Err("rename", id, r.kept.Move(unfinished+id, r.kept, id))
	}
	if err != nil {
		return "", disk.Undone(err, disk.RemoveAll(r.kept, unfinished+id))
	}
	return id, nil
}

// dropUnfinished removes what killed runs left.
func (r restoring) dropUnfinished() error {
	entries, err := r.kept.Entries()
	left := []error{err}
	for name := range entries {
		if strings.HasPrefix(name, unfinished) {
			left = append(left, disk.RemoveAll(r.kept, name))
		}
	}
	return errors.Join(left...)
}

// fill makes a version of copies, called name in kept/.
func (r restoring) fill(name string, names []string) error {
	d, files, err := NewVersion(r.kept, name, r.about())
	if err != nil {
		return err
	}
	defer d.Close()
	defer files.Close()
	for _, name := range names {
		if err := copyWhole(r.to, name, files, name); err != nil {
			return err
		}
	}
	return d.Sync()
}

// copyWhole copies an entry to a free name, complete or not at all. One that has no contents cannot be copied.
func copyWhole(from disk.Dir, name string, to disk.Dir, toName string) error {
	there, err := from.Stat(name)
	if err != nil {
		return err
	}
	if !there.Exists() {
		return from.Err("open", name, sys.ENOENT)
	}
	if !there.Movable() {
		return fmt.Errorf("%s: is no file, directory or link", say.Name(filepath.Join(from.Path, name)))
	}
	return disk.CopyWhole(from, name, there, to, toName)
}

// base returns the name that the version's own file has, by which those that belong to it are named.
func (v Version) base() string {
	if v.Path == Unknown && len(v.Files) > 0 {
		return v.Files[0]
	}
	return filepath.Base(v.Path)
}

// isDatabase reports whether the version is more than the entry's own file.
func (v Version) isDatabase() bool { return len(v.Files) != 1 || v.Files[0] != v.base() }

// copyTo copies the version's files to free names in to: its own to name, and those that belong to it, which come first, to name with their
// endings.
func (v Version) copyTo(files, to disk.Dir, name string) error {
	for _, file := range slices.Backward(v.Files) {
		if err := copyWhole(files, file, to, name+v.ending(file)); err != nil {
			return err
		}
	}
	return nil
}

// ending returns what the file's name has after that of the version's own file.
func (v Version) ending(file string) string {
	if end, ok := strings.CutPrefix(file, v.base()); ok {
		return end
	}
	return "." + file
}

// CopyTo copies the version to path, where nothing may be yet, and what belongs to it beside that.
func (v Version) CopyTo(l account.Layout, path string) error {
	if len(v.Files) == 0 {
		return fmt.Errorf("version %s has no files", v.ID)
	}
	files, err := disk.OpenBelow(l.Root, v.Dir(l))
	if err != nil {
		return gone(err)
	}
	defer files.Close()
	above, name := filepath.Split(path)
	to, err := disk.Open(above+".", disk.Follow)
	if err != nil {
		return err
	}
	defer to.Close()
	for _, file := range v.Files {
		there, err := to.Stat(name + v.ending(file))
		if err == nil && there.Exists() {
			err = disk.Unsafe("%s: exists already", say.Name(above+name+v.ending(file)))
		}
		if err != nil {
			return err
		}
	}
	return v.copyTo(files, to, name)
}
