//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
)

// Move is one entry on its way out of a home.
type Move struct {
	About history.About
	Name  string   // of the entry, in its home and in Files
	Files disk.Dir // what was taken out
	Dir   disk.Dir // of the move
	Place uint64   // the inode of the entry that is to take its place in the shared directory, 0 for none

	sandbox, id string
}

// The names in the directory of a move, beside those of a version: MovesDir is the directory of all moves in a sandbox.
const (
	MovesDir  = "moving"
	placeFile = "place" // the inode of what is to be shared
	copyFile  = "copy"  // where a copy lies in the shared directory that is not complete yet
	PartFile  = "part"  // what is made in the move's directory itself
)

// Begin begins a move of an entry out of a home of the sandbox. about describes the version that is kept, should one be.
func Begin(sandbox string, about history.About) (*Move, error) {
	m := &Move{About: about, Name: path.Base(about.Path), sandbox: sandbox, id: history.NewID(about.Time)}
	moves, err := m.openMoves()
	if err != nil {
		return nil, err
	}
	defer moves.Close()
	if m.Dir, m.Files, err = history.NewVersion(moves, m.id, about); err != nil {
		return nil, disk.Undone(err, m.Remove())
	}
	return m, nil
}

// openMoves opens the directory of moves, and makes it if it is missing.
func (m *Move) openMoves() (disk.Dir, error) {
	d, err := disk.Open(m.sandbox, disk.NoFollow)
	if err != nil {
		return d, err
	}
	return d.MakeAndOpen(MovesDir)
}

// Remove removes the directory of the move, with all in it.
func (m *Move) Remove() error {
	moves, err := m.openMoves()
	if err != nil {
		return err
	}
	return errors.Join(disk.RemoveAll(moves, m.id), moves.Close())
}

// Close closes the directories. Nothing was written through them.
func (m *Move) Close() error { return errors.Join(m.Files.Close(), m.Dir.Close()) }

// ToPlace notes, on disk too, that own is to take its place in the shared directory.
func (m *Move) ToPlace(own disk.Stat) error {
	m.Place = own.Ino
	return m.Dir.WriteNew(placeFile, []byte(strconv.FormatUint(own.Ino, 10)))
}

// TakeOut exchanges the entry in d for a link to target. If that was not the expected one, since a program put another one there meanwhile, it goes
// back, and the error is [disk.ErrChanged].
func (m *Move) TakeOut(d disk.Dir, target string, expected func(disk.Stat) bool) error {
	if err := unix.Symlinkat(target, m.Files.Fd(), m.Name); err != nil {
		return m.Files.Err("symlink", m.Name, err)
	}
	if err := m.Files.Exchange(m.Name, d, m.Name); err != nil {
		return d.Err("rename", m.Name, disk.Changed(err))
	}
	got, err := m.Files.Stat(m.Name)
	if err != nil || expected(got) {
		return err
	}
	return disk.ChangedAfter(m.Files.Err("rename", m.Name, m.Files.Exchange(m.Name, d, m.Name)))
}

// TakeAway is [Move.TakeOut] without a link in the entry's place.
func (m *Move) TakeAway(d disk.Dir, expected func(disk.Stat) bool) error {
	if err := d.Move(m.Name, m.Files, m.Name); err != nil {
		return d.Err("rename", m.Name, disk.Changed(err))
	}
	got, err := m.Files.Stat(m.Name)
	if err != nil || expected(got) {
		return err
	}
	return disk.ChangedAfter(disk.Ignore(m.Files.Move(m.Name, d, m.Name), unix.EEXIST))
}

// HasTaken reports whether what was taken out is a link to target.
func (m *Move) HasTaken(target string) bool {
	is, err := m.Files.Readlink(m.Name)
	return err == nil && is == target
}

// Take moves the entry called name in d, which has no link to come in its place, into Files. Across file systems it is copied first.
func (m *Move) Take(d disk.Dir, name string) error {
	err := d.Move(name, m.Files, m.Name)
	if errors.Is(err, unix.EXDEV) {
		if err = m.CopyOut(d, name); err == nil {
			return disk.RemoveAll(d, name)
		}
	}
	return d.Err("rename", name, disk.Changed(err))
}

// Replace exchanges what was made as [PartFile] for the link called name in d, which leads to target. What a program put there meanwhile goes
// back, and the error is [disk.ErrChanged].
func (m *Move) Replace(d disk.Dir, name, target string) error {
	if err := m.Dir.Replace(PartFile, m.Files, m.Name); err != nil {
		return err
	}
	if err := m.Files.Exchange(m.Name, d, name); err != nil {
		return errors.Join(d.Err("rename", name, disk.Changed(err)), m.Files.Unlink(m.Name))
	}
	if was, err := m.Files.Readlink(m.Name); err != nil || was == target {
		return errors.Join(err, m.Files.Unlink(m.Name))
	}
	return disk.ChangedAfter(d.Err("rename", name, m.Files.Exchange(m.Name, d, name)))
}

// Keep makes what is in Files a version of the history, in swop's root.
func (m *Move) Keep(root string) error {
	kept, err := history.Open(root)
	if err != nil {
		return err
	}
	defer kept.Close()
	moves, err := m.openMoves()
	if err != nil {
		return err
	}
	for _, file := range []string{placeFile, copyFile, PartFile} {
		err = errors.Join(err, disk.Ignore(os.Remove(filepath.Join(moves.Path, m.id, file)), fs.ErrNotExist))
	}
	if err == nil {
		err = moves.Move(m.id, kept, m.id)
	}
	return errors.Join(moves.Err("rename", m.id, err), moves.Close())
}
