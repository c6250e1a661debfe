//go:build unix

package journal

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
)

// Left returns the ids of the moves in a sandbox: those that killed runs left, or the one of a run that holds the lock.
func Left(sandbox string) ([]string, error) {
	moves, err := disk.Open(sandbox+"/"+MovesDir, disk.NoFollow)
	if err != nil {
		return nil, disk.Ignore(err, unix.ENOENT)
	}
	entries, err := moves.Entries()
	return slices.Collect(maps.Keys(entries)), errors.Join(err, moves.Close())
}

// Reopen opens a move that a killed run left. It returns nil for one that is gone, and for one that had moved nothing yet, which it removes. Where a
// power failure tore the description, About has no view.
func Reopen(sandbox, id string) (*Move, error) {
	m := &Move{sandbox: sandbox, id: id}
	moves, err := m.openMoves()
	if err != nil {
		return nil, err
	}
	defer moves.Close()
	if m.Dir, err = moves.OpenDir(id); err != nil {
		return nil, disk.Ignore(err, unix.ENOENT, unix.ENOTDIR)
	}
	m.Files, err = m.Dir.OpenDir(history.FilesDir)
	if errors.Is(err, unix.ENOENT) {
		return nil, errors.Join(m.Dir.Close(), disk.RemoveAll(moves, id))
	}
	if err != nil {
		return nil, errors.Join(err, m.Dir.Close())
	}
	m.About, err = history.ReadAbout(m.Dir)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, errors.Join(m.Close(), disk.RemoveAll(moves, id))
	case err != nil:
		m.About = history.About{Why: history.Replaced}
		return m, nil
	}
	m.Name = path.Base(m.About.Path)
	if text, err := disk.ReadOwn(m.Dir.Path+"/"+placeFile, maxNumber); err == nil {
		m.Place, _ = strconv.ParseUint(text, 10, 64) // 0 is none
	}
	return m, nil
}

const maxNumber = 64 // bytes, more than an inode has digits

// GiveBack undoes an exchange in three steps, see [disk.Dir.Exchange]: if the name of what it took is free still in the entry's home, that goes
// back.
func (m *Move) GiveBack(home string) error {
	entries, err := m.Files.Entries()
	for name := range entries {
		if err == nil && name != m.Name && len(name) == disk.RandomLength {
			err = m.giveBackTo(home, name)
		}
	}
	return err
}

func (m *Move) giveBackTo(home, name string) error {
	d, err := disk.OpenBelow(home, home+"/"+path.Dir(m.About.Path))
	if err != nil {
		return nil // it is kept
	}
	defer d.Close()
	return m.Dir.Err("rename", name, disk.Ignore(m.Files.Move(name, d, m.Name), unix.EEXIST))
}
