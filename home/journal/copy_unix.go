//go:build unix

package journal

import (
	"errors"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/disk"
)

// What crosses file systems must be copied. While it is copied a program might write to the original, and the copy would not have that: so
// nothing is copied unless the account is at rest. A copy in the shared directory has a name of ours until it is complete. That name is
// written into the move's directory first: only what is named there is ever removed.

// CopyIn copies an entry into a shared directory, where place gives the copy, which is complete then, its name. rel is the path of the copy
// below the shared directory.
func (m *Move) CopyIn(from disk.Dir, name string, i disk.Stat, to disk.Dir, rel string, place func(tmp string) error) error {
	tmp := disk.CopyName()
	if err := m.Dir.Unlink(copyFile); err != nil {
		return err
	}
	if err := m.Dir.WriteNew(copyFile, []byte(strconv.Quote(path.Join(path.Dir(rel), tmp)))); err != nil {
		return err
	}
	err := disk.CopyEntry(from, name, i, to, tmp)
	if err == nil {
		err = place(tmp)
	}
	if err == nil {
		err = to.Sync() // before the original goes: the disks have no order in common
	}
	return disk.Undone(err, disk.RemoveAll(to, tmp))
}

// CopyOut copies the entry called name in d into Files, where it appears complete or not at all.
func (m *Move) CopyOut(d disk.Dir, name string) error {
	i, err := d.Stat(name)
	if err != nil {
		return err
	}
	if err := disk.CopyEntry(d, name, i, m.Dir, PartFile); err != nil {
		return disk.Undone(err, disk.RemoveAll(m.Dir, PartFile))
	}
	return m.Dir.Replace(PartFile, m.Files, m.Name)
}

// DropCopy removes the copy that a killed run left in a shared directory.
func (m *Move) DropCopy(shared disk.Dir) error {
	text, err := disk.ReadOwn(m.Dir.Path+"/"+copyFile, unix.PathMax*4)
	if err != nil {
		return disk.Ignore(err, unix.ENOENT)
	}
	rel, err := strconv.Unquote(text)
	if err != nil || !disk.IsCopy(path.Base(rel)) {
		return nil // killed before it was made
	}
	return dropBelow(shared, rel)
}

// dropBelow removes the copy at rel, a path below d.
func dropBelow(d disk.Dir, rel string) error {
	first, rest, below := strings.Cut(rel, "/")
	if !below {
		return disk.RemoveAll(d, rel)
	}
	in, err := d.OpenDir(first)
	if err != nil {
		return disk.Ignore(err, unix.ENOENT, unix.ENOTDIR, unix.ELOOP)
	}
	return errors.Join(dropBelow(in, rest), in.Close())
}
