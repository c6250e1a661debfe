//go:build unix

package mirror

import (
	"errors"
	"maps"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
	"swop/home/journal"
)

func (h *home) appendOnly(name string) bool {
	row, _ := h.rules.Row(name)
	return row.AppendOnly
}

// mayMerge reports whether the sandbox's directory and the shared one are to be merged: if they only grow; or if no link was ever in the place of
// the sandbox's, which did not see the shared one then, and there is no file on both sides, as mkdir -p of two programs leaves them.
func (h folding) mayMerge(name string) (bool, error) {
	if h.appendOnly(name) {
		return true, nil
	}
	if h.last.At == (unix.Timespec{}) || h.was.HadLink(name) {
		return false, nil
	}
	return disjoint(h.sandbox, h.shared, name)
}

// disjoint reports whether two directories called name have only directories in common, into which entries can be moved. A database and its log
// count as one.
func disjoint(a, b disk.Dir, name string) (bool, error) {
	in, own, err := listDir(a, name)
	if err != nil {
		return false, err
	}
	defer in.Close()
	out, there, err := listDir(b, name)
	if err != nil {
		return false, err
	}
	defer out.Close()
	if i, err := out.Stat("."); err != nil || i.Perm()&0o300 != 0o300 {
		return false, err
	}
	for child, entry := range own {
		apart := !meets(child, there, in, out)
		if !apart && entry.Mode.IsDir() && there[child].Mode.IsDir() {
			apart, err = disjoint(in, out, child)
		}
		if err != nil || !apart {
			return false, err
		}
	}
	return true, nil
}

// meets reports whether there, the entries of one of dirs, has one of this name, or one that belongs to the same database.
func meets(name string, there map[string]disk.Entry, dirs ...disk.Dir) bool {
	base, _ := disk.DatabaseName(name)
	isThere := func(name string) bool { _, ok := there[name]; return ok }
	if isThere(name) || !slices.ContainsFunc(disk.DatabaseNames(base), isThere) {
		return isThere(name)
	}
	files := append(disk.Companions(base, dirs...), base)
	return slices.Contains(files, name) && slices.ContainsFunc(files, isThere)
}

// mergeTree moves the entries of the directory called name in from, which the move has taken out, into the one in to whose path below the
// shared directory is rel. Of a file with two versions both are kept.
func (m *move) mergeTree(from disk.Dir, name string, to disk.Dir, rel string) error {
	in, mode, err := openToMove(from, name)
	if err != nil {
		return disk.Ignore(err, unix.ENOENT)
	}
	defer in.Close()
	if err := m.makeDir(to, path.Base(rel), mode); err != nil {
		return err
	}
	out, err := to.OpenDir(path.Base(rel))
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return m.keepBelow(from, name, rel)
	}
	if err != nil {
		return err
	}
	defer out.Close()
	entries, err := in.Entries()
	if err != nil {
		return err
	}
	for _, child := range slices.Sorted(maps.Keys(entries)) {
		if err := m.mergeEntry(in, child, out, rel+"/"+child); err != nil {
			return err
		}
	}
	return disk.Ignore(from.Rmdir(name), unix.ENOTEMPTY, unix.EEXIST)
}

// makeDir makes a directory with these permissions, which its owner can change in any case; one that is there stays as it is. It has them from the
// first moment on, since a run that goes on after a kill does not know whether its own run made it.
func (m *move) makeDir(to disk.Dir, name string, mode uint32) error {
	if there, err := to.Stat(name); err != nil || there.Exists() {
		return err
	}
	err := makeOpen(m.Dir, journal.PartFile, mode)
	if err == nil {
		err = m.Dir.Move(journal.PartFile, to, name)
	}
	if errors.Is(err, unix.EXDEV) {
		err = makeOpen(to, name, mode)
	}
	return to.Err("mkdir", name, disk.Ignore(err, unix.EEXIST))
}

// makeOpen makes a directory with these permissions, open to its owner.
func makeOpen(d disk.Dir, name string, mode uint32) error {
	if err := d.Mkdir(name); err != nil {
		return err
	}
	made, err := d.OpenDir(name)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fchmod(made.Fd(), mode|0o700), made.Close())
}

// openToMove opens the directory called name, whose entries are to be moved out, and returns the permissions that it had.
func openToMove(from disk.Dir, name string) (in disk.Dir, mode uint32, err error) {
	i, err := from.Stat(name)
	switch {
	case err != nil:
	case i.IsDir() && i.Perm()&0o700 != 0o700:
		in, err = from.Enter(name)
	default:
		in, err = from.OpenDir(name)
	}
	return in, i.Perm(), err
}

// mergeEntry moves one entry of a directory that is merged. The shared version of a file stays; the other goes if it is equal and no process has
// it open, and is kept if not. A socket or the like is left.
func (m *move) mergeEntry(in disk.Dir, name string, out disk.Dir, rel string) error {
	i, err := in.Stat(name)
	if err != nil || !i.Movable() {
		return err
	}
	if i.IsDir() {
		return m.mergeTree(in, name, out, rel)
	}
	err = in.Move(name, out, name)
	if errors.Is(err, unix.EXDEV) {
		err = m.CopyIn(in, name, i, out, rel, func(tmp string) error { return out.Move(tmp, out, name) })
		if err == nil {
			return in.Unlink(name)
		}
		if errors.Is(err, disk.ErrNotCopied) {
			return err
		}
	}
	if !errors.Is(err, unix.EEXIST) {
		return in.Err("rename", name, err)
	}
	there, err := out.Stat(name)
	if err != nil {
		return err
	}
	equal, err := m.equal(in, name, i, out, name, there)
	if unopened, known := in.Unopened(name); err == nil && (equal && (unopened || !known) || i.Same(there)) {
		return in.Unlink(name)
	}
	return errors.Join(disk.Ignore(err, disk.ErrChanged), m.keepBelow(in, name, rel))
}

// keepBelow keeps the entry of a directory that is merged as a version of the one at rel.
func (h *home) keepBelow(in disk.Dir, name, rel string) error {
	return h.move(rel, history.Apart, func(m *move) error { return in.Err("rename", name, in.Move(name, m.Files, m.Name)) })
}
