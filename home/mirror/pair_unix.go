//go:build unix

package mirror

import (
	"errors"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
	"swop/home/rules"
)

// checkPair finds a hard-linked file that lacks one of its names. Across file systems there is no such file: each account has its own.
func (h scanner) checkPair(name string) error {
	own, there, err := h.statBoth(name)
	if err != nil {
		return err
	}
	same := own.Same(there)
	if same {
		h.now.Pair(name, own)
	}
	known, _ := h.was.WasPaired(name, own)
	apart, err := h.apart()
	if err == nil && (!same || !known) && !apart {
		h.add(unpairedFile, name)
	}
	return err
}

// isPaired reports whether the table hard-links the entry and it is the shared one. The user's patterns may make it private all the same.
func (h *home) isPaired(name string) (bool, error) {
	if h.view.Name != rules.CodexView || !rules.IsHardLinked(name) {
		return false, nil
	}
	own, there, err := h.statBoth(name)
	return own.Exists() && own.Same(there), err
}

// statBoth returns the sandbox's entry and the shared one.
func (h *home) statBoth(name string) (own, there disk.Stat, err error) {
	if own, err = h.sandbox.Stat(name); err != nil {
		return own, there, err
	}
	there, err = h.shared.Stat(name)
	return own, there, err
}

// pairing keeps hard-linked files paired.
type pairing struct{ *home }

// pair keeps one file under both names, for what codex refuses to open through a symbolic link. Programs replace or remove it under their
// own name, and the other name follows. A removal is believed only if the last scan saw the file under both names.
func (h pairing) pair(name string) error {
	err := retry(func() error { return h.pairOnce(name) })
	return disk.Ignore(err, unix.EXDEV) // on another file system it is the account's own
}

func (h pairing) pairOnce(name string) error {
	own, there, err := h.statBoth(name)
	if err != nil {
		return err
	}
	removedHere, asItWas := h.was.WasPaired(name, there)
	removedThere, asIWas := h.was.WasPaired(name, own)
	switch {
	case own.Exists() && !own.IsRegular(), there.Exists() && !there.IsRegular():
		return nil
	case own.Same(there):
		h.now.Pair(name, own)
		return nil
	case !own.Exists() && !there.Exists():
		return nil
	case !own.Exists() && removedHere: // codex logs out of the last server by removing the file
		return h.followRemoval(h.shared, name, there, asItWas)
	case !own.Exists():
		return h.pairFrom(h.shared, h.sandbox, name, history.Replaced)
	case !there.Exists() && removedThere: // another account did
		return h.followRemoval(h.sandbox, name, own, asIWas)
	case !there.Exists():
		return h.pairFrom(h.sandbox, h.shared, name, history.Replaced)
	}
	return h.resolvePair(name, own, there)
}

// unpair removes the sandbox's name of a private file that is the shared one still: as with a link, the account has no file of its own yet.
func (h pairing) unpair(name string) error {
	if paired, err := h.isPaired(name); err != nil || !paired {
		return err
	}
	return h.move(name, history.Replaced, func(m *move) error {
		there, err := h.shared.Stat(name)
		if err == nil {
			err = m.TakeAway(m.sandbox, there.Same)
		}
		return err
	})
}

// followRemoval removes the name in d of a file that was removed under its other name. If the file was written since both names were seen,
// it is kept: the removal may not have been meant for what it holds now.
func (h pairing) followRemoval(d disk.Dir, name string, known disk.Stat, unwritten bool) error {
	return h.move(name, history.Removed, func(m *move) error {
		if err := m.TakeAway(d, known.Same); err != nil {
			return err
		}
		got, err := m.Files.Stat(name)
		if err == nil && unwritten && got.Unmodified(known) {
			err = m.Files.Unlink(name)
		}
		return err
	})
}

// resolvePair decides between two files. The one that the last scan did not see replaces the other, if nobody wrote to that since; else the
// newer one is shared. The other is kept.
func (h pairing) resolvePair(name string, own, there disk.Stat) error {
	_, ownOld := h.was.WasPaired(name, own)
	_, thereOld := h.was.WasPaired(name, there)
	switch {
	case thereOld && !ownOld:
		return h.pairFrom(h.sandbox, h.shared, name, history.Replaced)
	case ownOld && !thereOld:
		return h.pairFrom(h.shared, h.sandbox, name, history.Replaced)
	case disk.Older(there.Mtime, own.Mtime):
		return h.pairFrom(h.sandbox, h.shared, name, history.Changed)
	}
	return h.pairFrom(h.shared, h.sandbox, name, history.Older)
}

// pairFrom gives winner's file the name in loser too, and has it judged again. A file that had the name is kept. The file is linked into the
// move's directory first, where it is seen whether it is one: a program may rename a link over it.
func (h pairing) pairFrom(winner, loser disk.Dir, name string, why history.Why) error {
	return h.move(name, why, func(m *move) error {
		if err := winner.Link(name, m.Files, name); err != nil {
			return winner.Err("link", name, disk.Changed(err))
		}
		if i, err := m.Files.Stat(name); err != nil || !i.IsRegular() {
			return disk.ChangedAfter(errors.Join(err, m.Files.Unlink(name)))
		}
		err := m.Files.Exchange(name, loser, name)
		if errors.Is(err, unix.ENOENT) { // it has none
			err = m.Files.Move(name, loser, name)
		}
		return disk.ChangedAfter(loser.Err("rename", name, disk.Changed(err)))
	})
}
