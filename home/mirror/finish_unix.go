//go:build unix

package mirror

import (
	"errors"
	"path"
	"strconv"

	"swop/disk"
	"swop/home/history"
	"swop/home/rules"

	"golang.org/x/sys/unix"
)

// What a killed run began is ended by the next one: the directory of each move says itself what is to be done.

// finishMoves ends the moves that a killed run began.
func (h *home) finishMoves() error {
	moves, err := disk.Open(h.Account.Dir+"/"+movesDir, disk.NoFollow)
	if err != nil {
		return disk.Ignore(err, unix.ENOENT)
	}
	defer moves.Close()
	entries, err := moves.Entries()
	for id := range entries {
		m := &move{home: h, id: id}
		failed := m.finish(moves)
		err = errors.Join(err, h.wait(finding{leftMove, m.name}, failed))
	}
	return err
}

// finish ends one of them. It leaves those of another home.
func (m *move) finish(moves disk.Dir) error {
	h, id := m.home, m.id
	var err error
	if m.dir, err = moves.OpenDir(id); err != nil {
		return disk.Ignore(err, unix.ENOENT, unix.ENOTDIR)
	}
	m.files, err = m.dir.OpenDir(history.FilesDir)
	if errors.Is(err, unix.ENOENT) { // killed before anything was moved
		err = disk.RemoveAll(moves, id)
	}
	if err != nil || m.files == (disk.Dir{}) {
		return errors.Join(err, m.dir.Close())
	}
	m.about, err = history.ReadAbout(m.dir)
	switch {
	case errors.Is(err, unix.ENOENT):
		return errors.Join(m.close(), disk.RemoveAll(moves, id)) // the same
	case err != nil && h.view == "codex": // a power failure tore the description
		m.about.Why = history.Replaced
		return errors.Join(m.close(), m.keep())
	case m.about.View != h.view:
		return m.close()
	}
	m.name = path.Base(m.about.Path)
	if text, err := disk.ReadOwn(m.dir.Path+"/"+placeFile, rules.MaxBaseline); err == nil {
		m.place, _ = strconv.ParseUint(text, 10, 64) // 0 is none
	}
	if err := m.goOn(); err != nil {
		return errors.Join(err, m.close())
	}
	return m.end(nil)
}

// goOn does what a killed run has not done, up to the end of the move.
func (m *move) goOn() error {
	err := m.giveBack()
	if err == nil {
		err = m.dropCopy()
	}
	if err == nil {
		err = m.finishRename()
	}
	if err == nil {
		err = m.finishGroup()
	}
	return err
}

// giveBack undoes an exchange in three steps, see [disk.Dir.Exchange]: if the name of what it took is free still, that goes back.
func (m *move) giveBack() error {
	entries, err := m.files.Entries()
	for name := range entries {
		if err == nil && name != m.name && len(name) == disk.RandomLength {
			err = m.giveBackTo(name)
		}
	}
	return err
}

func (m *move) giveBackTo(name string) error {
	home, err := disk.OpenBelow(m.sandbox.Path, m.sandbox.Path+"/"+path.Dir(m.about.Path))
	if err != nil {
		return nil // it is kept
	}
	defer home.Close()
	return m.dir.Err("rename", name, disk.Ignore(m.files.Move(name, home, m.name), unix.EEXIST))
}
