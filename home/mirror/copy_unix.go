//go:build unix

package mirror

import (
	"errors"

	"swop/disk"
)

// apart reports whether the two directories are on different file systems.
func (h *home) apart() (bool, error) {
	own, there, err := h.statBoth(".")
	return own.Dev != there.Dev, err
}

// shareCopy does what share does, across file systems.
func (m *move) shareCopy(name string, own, there disk.Stat) error {
	equal, err := m.equal(m.Files, name, own, m.shared, m.Name, there)
	if err != nil {
		return err
	}
	if equal { // a killed run has copied it
		return m.Files.Unlink(name)
	}
	err = m.CopyIn(m.Files, name, own, m.shared, m.Name, func(tmp string) error { return m.placeCopy(tmp, there) })
	if err != nil {
		return err
	}
	return disk.RemoveAll(m.Files, name)
}

// placeCopy gives the copy in the shared directory its name. The version that was there is kept first.
func (m *move) placeCopy(tmp string, there disk.Stat) error {
	if !there.Exists() {
		return m.shared.Move(tmp, m.shared, m.Name)
	}
	old, err := m.begin(m.Name, m.About.Why)
	if err != nil {
		return err
	}
	if err = old.CopyOut(m.shared, m.Name); err == nil {
		err = m.shared.Exchange(tmp, m.shared, m.Name)
	}
	if err == nil {
		if was, err2 := m.shared.Stat(tmp); err2 != nil || !was.Unmodified(there) { // written since it was copied
			err = disk.ChangedAfter(errors.Join(err2, m.shared.Exchange(tmp, m.shared, m.Name)))
		}
	}
	if err == nil {
		err = m.shared.Sync()
	}
	return old.end(err)
}
