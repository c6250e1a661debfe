//go:build unix

package history

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/disk"
	"swop/say"
)

// What cannot be exchanged is copied, and the version that is restored stays in kept/.

// openFiles opens the directory with the version's files.
func (v Version) openFiles(kept disk.Dir) (disk.Dir, error) {
	d, err := disk.OpenBelow(kept.Path, filepath.Join(kept.Path, v.ID, FilesDir))
	return d, gone(err)
}

// acrossDevices restores a version from another file system: a copy changes places with the entry, which is copied to kept/ and removed.
// Killed in between, what was replaced, or the copy, is left beside the entry, under a name of ours.
func (r restoring) acrossDevices() (id string, err error) {
	files, err := r.v.openFiles(r.kept)
	if err != nil {
		return "", err
	}
	defer files.Close()
	tmp := disk.CopyName()
	if err := copyWhole(files, r.v.Files[0], r.to, tmp); err != nil {
		return "", err
	}
	r.touch(r.to, tmp)
	if r.to.Move(tmp, r.to, r.name) == nil {
		return "", nil // nothing was there
	}
	if err := r.to.Exchange(tmp, r.to, r.name); err != nil {
		return "", disk.Undone(r.fixed(err), disk.RemoveAll(r.to, tmp))
	}
	id, err = r.keepCopies(map[string]string{tmp: r.name})
	if err != nil {
		if undo := r.to.Exchange(tmp, r.to, r.name); undo != nil {
			return "", disk.Undone(err, undo)
		}
	}
	return id, errors.Join(err, disk.RemoveAll(r.to, tmp))
}

// fixed returns the error of a rename of what is in the entry's place. A directory of a lower layer of an overlay cannot be renamed, and is
// not replaced piece by piece.
func (r restoring) fixed(err error) error {
	if !errors.Is(err, unix.EXDEV) {
		return r.placed(err)
	}
	path := filepath.Join(r.to.Path, r.name)
	err = fmt.Errorf("%s: its file system cannot move the directory that is there", say.Name(path))
	return say.WithHint(err, fmt.Sprintf("codex swop restore %s --version %d --to %s", say.ShellQuote(path), r.v.Number, say.ShellQuote(path+".restored")))
}

// database restores files that are opened together or not at all. Nobody has them open. What is there is copied to kept/ first, and removed
// then; the database itself comes last: its log is never found beside another one.
func (r restoring) database(present []string) (id string, err error) {
	files, err := r.v.openFiles(r.kept)
	if err != nil {
		return "", err
	}
	defer files.Close()
	if len(present) > 0 {
		names := map[string]string{}
		for _, name := range present {
			names[name] = name
		}
		if id, err = r.keepCopies(names); err != nil {
			return "", err
		}
	}
	for _, name := range present {
		if err := disk.RemoveAll(r.to, name); err != nil {
			return id, err
		}
	}
	return id, r.v.copyTo(files, r.to, r.name)
}

// unfinished begins the names of directories in kept/ with copies that are not complete yet. Their originals are in place, and who makes them
// holds the lock of the home.
const unfinished = ".new-"

// keepCopies copies entries of to, under the names that the map has for them, to a version in kept/, which is complete as soon as it is there.
func (r restoring) keepCopies(names map[string]string) (id string, err error) {
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
func (r restoring) fill(name string, names map[string]string) error {
	d, files, err := newVersion(r.kept, name, r.about())
	if err != nil {
		return err
	}
	defer d.Close()
	defer files.Close()
	for from, to := range names {
		if err := copyWhole(r.to, from, files, to); err != nil {
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
		return from.Err("open", name, unix.ENOENT)
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

// CopyTo copies the version to path, where nothing may be yet, and what belongs to it beside that. Of a directory it copies the entry that
// inner names, unless that is "".
func (v Version) CopyTo(l account.Layout, inner, path string) error {
	if len(v.Files) == 0 {
		return fmt.Errorf("version %s has no files", v.ID)
	}
	dir := v.Dir(l)
	if inner != "" {
		dir = filepath.Dir(filepath.Join(dir, v.Files[0], inner))
		v.About.Path, v.Files = inner, []string{filepath.Base(inner)}
	}
	files, err := disk.OpenBelow(l.Root, dir)
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
