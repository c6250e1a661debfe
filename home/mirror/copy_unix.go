//go:build unix

package mirror

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
const (
	copyFile = "copy"
	partFile = "part" // what is made in the move's directory itself
)

// apart reports whether the two directories are on different file systems.
func (h *home) apart() (bool, error) {
	own, there, err := h.statBoth(".")
	return own.Dev != there.Dev, err
}

// shareCopy does what share does, across file systems.
func (m *move) shareCopy(name string, own, there disk.Stat) error {
	equal, err := m.knownEqual(m.files, name, own, m.shared, m.name, there)
	if err != nil {
		return err
	}
	if equal { // a killed run has copied it
		return m.files.Unlink(name)
	}
	err = m.copyIn(m.files, name, own, m.shared, m.name, func(tmp string) error { return m.placeCopy(tmp, there) })
	if err != nil {
		return err
	}
	return disk.RemoveAll(m.files, name)
}

// copyIn copies an entry into a shared directory, where place gives the copy, which is complete then, its name: [disk.Dir.Move], or what
// placeCopy does. rel is the path of the copy below the shared directory.
func (m *move) copyIn(from disk.Dir, name string, i disk.Stat, to disk.Dir, rel string, place func(tmp string) error) error {
	tmp := disk.CopyName()
	if err := m.dir.Unlink(copyFile); err != nil {
		return err
	}
	if err := m.dir.WriteNew(copyFile, []byte(strconv.Quote(path.Join(path.Dir(rel), tmp)))); err != nil {
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

// placeCopy gives the copy in the shared directory its name. The version that was there is kept first.
func (m *move) placeCopy(tmp string, there disk.Stat) error {
	if !there.Exists() {
		return m.shared.Move(tmp, m.shared, m.name)
	}
	old, err := m.begin(m.name, m.about.Why)
	if err != nil {
		return err
	}
	if err = old.copyOut(m.shared, m.name); err == nil {
		err = m.shared.Exchange(tmp, m.shared, m.name)
	}
	if err == nil {
		if was, err2 := m.shared.Stat(tmp); err2 != nil || !was.Unmodified(there) { // written since it was copied
			err = disk.ChangedAfter(errors.Join(err2, m.shared.Exchange(tmp, m.shared, m.name)))
		}
	}
	if err == nil {
		err = m.shared.Sync()
	}
	return old.end(err)
}

// copyOut copies the entry called name in d into files, where it is there whole or not at all.
func (m *move) copyOut(d disk.Dir, name string) error {
	i, err := d.Stat(name)
	if err != nil {
		return err
	}
	if err := disk.CopyEntry(d, name, i, m.dir, partFile); err != nil {
		return disk.Undone(err, disk.RemoveAll(m.dir, partFile))
	}
	return m.dir.Replace(partFile, m.files, m.name)
}

// dropCopy removes the copy that a killed run left in a shared directory.
func (m *move) dropCopy() error {
	text, err := disk.ReadOwn(m.dir.Path+"/"+copyFile, unix.PathMax*4)
	if err != nil {
		return disk.Ignore(err, unix.ENOENT)
	}
	rel, err := strconv.Unquote(text)
	if err != nil || !disk.IsCopy(path.Base(rel)) {
		return nil // killed before it was made
	}
	return m.dropBelow(m.shared, rel)
}

// dropBelow removes the copy at rel, a path below d.
func (m *move) dropBelow(d disk.Dir, rel string) error {
	first, rest, below := strings.Cut(rel, "/")
	if !below {
		return disk.RemoveAll(d, rel)
	}
	in, err := d.OpenDir(first)
	if err != nil {
		return disk.Ignore(err, unix.ENOENT, unix.ENOTDIR, unix.ELOOP)
	}
	return errors.Join(m.dropBelow(in, rest), in.Close())
}
