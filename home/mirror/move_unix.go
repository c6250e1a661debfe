//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"path"
	"time"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
	"swop/home/journal"
	"swop/say"
)

// move is a move of package journal out of this home. The entry goes on to the shared directory, or is kept, or is dropped.
type move struct {
	*home
	*journal.Move
	denied error // why the entry did not take its place, or not whole; what did not is back in the sandbox then
}

// begin begins a move of the entry at rel, a path below the home. why says why a version is kept, if one is.
func (h *home) begin(rel string, why history.Why) (*move, error) {
	at := time.Unix(int64(h.next.At.Sec), int64(h.next.At.Nsec)).UTC()
	j, err := journal.Begin(h.Account.Dir, history.About{View: h.view.Name, Path: rel, Account: h.Account.Key, Time: at, Why: why})
	return &move{home: h, Move: j}, err
}

// move does act in a move of the entry at rel, a path below the home, and ends it: see [move.end].
func (h *home) move(rel string, why history.Why, act func(*move) error) error {
	m, err := h.begin(rel, why)
	if err != nil {
		return err
	}
	return m.end(act(m))
}

// end ends the move, after err. What it has taken out takes its place in the shared directory, if it was to; else it is dropped if it is there
// already, and kept if not.
func (m *move) end(err error) error {
	defer func() { _ = m.Close() }() // nothing was written through them
	left, failed := m.settle()
	switch {
	case failed != nil: // the next run goes on
	case left:
		failed = m.keep()
	default:
		failed = m.Remove()
	}
	return disk.Undone(disk.Undone(err, m.denied), failed)
}

// settle does what [move.end] says, except for the end itself. It reports whether there is something to keep.
func (m *move) settle() (left bool, err error) {
	if m.Place != 0 {
		if err := m.takePlace(); err != nil {
			return false, err
		}
	} else if row, _ := m.rules.Row(m.Name); row.Regenerated {
		return false, nil
	}
	entries, err := m.Files.Entries()
	for name := range entries {
		spare, err2 := m.isSpare(name)
		left, err = left || !spare, errors.Join(err, err2)
	}
	return left, err
}

// takePlace shares what is to take its place in the shared directory, or gives it back.
func (m *move) takePlace() error {
	name, err := m.toShare()
	if err != nil || name == "" {
		return err
	}
	if m.denied = retry(func() error { return m.share(name) }); m.denied == nil {
		return nil
	}
	return errors.Join(m.DropCopy(m.shared), m.putBack(name))
}

// toShare returns the name in Files of what is to take its place in the shared directory, "" if it is not there.
func (m *move) toShare() (string, error) {
	entries, err := m.Files.Entries()
	if err != nil {
		return "", err
	}
	for name := range entries {
		if i, err := m.Files.Stat(name); err != nil || i.Ino == m.Place {
			return name, err
		}
	}
	return "", nil
}

// putBack gives the entry called name in Files back to the sandbox, if nothing but its link is there; unless it is the shared version, which
// has been exchanged.
func (m *move) putBack(name string) error {
	i, err := m.Files.Stat(name)
	if err != nil || i.Ino != m.Place {
		return err
	}
	own, err := m.sandbox.Stat(m.Name)
	if err != nil || !m.isOurLink(m.Name, own) {
		return err
	}
	m.now.Relink(m.Name, m.was)
	return m.sandbox.Err("rename", m.Name, m.Files.Exchange(name, m.sandbox, m.Name))
}

// isSpare reports whether the entry called name in Files may go: it is a link of ours, or one that was changed in a directory, see
// [home.retargetLink], or in the shared directory too.
func (m *move) isSpare(name string) (bool, error) {
	i, err := m.Files.Stat(name)
	retargeted := i.IsLink() && m.About.Why == history.Replaced && m.About.Path != m.Name
	if err != nil || !i.Exists() || retargeted {
		return true, err
	}
	there, err := m.stat(m.About.Path)
	if err != nil || i.Same(there) {
		return true, err
	}
	if i.IsLink() {
		target, err := m.Files.Readlink(name)
		wasShared := m.Place != 0 && there.Ino == m.Place // it may be the user's own, to an entry beside it
		if err != nil || m.view.Entry(target) != "" && !wasShared {
			return true, err
		}
	}
	there, err = m.shared.Stat(name) // of a database's companion
	return i.Same(there), err
}

// stat returns the shared entry at a path below the shared directory.
func (h *home) stat(rel string) (disk.Stat, error) {
	if path.Base(rel) == rel {
		return h.shared.Stat(rel)
	}
	return disk.Lstat(h.shared.Path + "/" + rel)
}

// share gives the entry called name in Files its place in the shared directory, or in the sandbox if it is private. The version that was there
// takes its place in files.
func (m *move) share(name string) error {
	to := m.shared
	if !m.class(m.Name).Shared() {
		to = m.sandbox
	}
	own, err := m.Files.Stat(name)
	if err != nil {
		return err
	}
	there, err := to.Stat(m.Name)
	switch {
	case err != nil:
		return err
	case own.IsDir() && there.IsDir():
		return disk.Changed(m.mergeTree(m.Files, name, to, m.Name)) // a program may remove what it merges into
	case own.IsDir() && there.Exists(), there.IsDir():
		return nil // both stay
	case there.Exists():
		err = m.Files.Exchange(name, to, m.Name)
	default:
		err = m.Files.Move(name, to, m.Name)
	}
	if errors.Is(err, unix.EXDEV) {
		if err = m.shareCopy(name, own, there); errors.Is(err, disk.ErrNotCopied) && !there.Exists() {
			err = say.WithHint(err, fmt.Sprintf("mv %s %s", say.ShellQuote(m.sandbox.Path+"/"+m.Name), say.ShellQuote(to.Path+"/"+m.Name)))
		}
	} else {
		err = to.Err("rename", m.Name, err)
	}
	if err != nil {
		return disk.Changed(err)
	}
	if row, _ := m.rules.Row(m.Name); row.Regenerated {
		err = m.Files.Unlink(name)
	}
	return errors.Join(err, m.noteLink(m.Name))
}

// keep makes what was taken out a version of the history.
func (m *move) keep() error {
	if err := m.Keep(m.Layout.Root); err != nil {
		return err
	}
	if m.About.Why != history.Replaced {
		m.say(fmt.Sprintf("two versions of %q: the other one is kept; see codex swop history", m.About.Path))
	}
	return nil
}

// takeOut exchanges the sandbox's entry for its link: see [journal.Move.TakeOut].
func (m *move) takeOut(expected func(disk.Stat) bool) error {
	if err := m.TakeOut(m.sandbox, m.view.Target(m.Name), expected); err != nil {
		return err
	}
	return m.noteLink(m.Name)
}

// keepOwn replaces the sandbox's version by its link, and keeps it.
func (h *home) keepOwn(name string, own disk.Stat, why history.Why) error {
	return h.move(name, why, func(m *move) error { return m.takeOut(own.Same) })
}

// linkOver replaces the sandbox's entry, which the shared directory has too, by its link. What equal says of the entry that is taken out
// tells whether that still holds.
func (h *home) linkOver(name string, equal func(disk.Stat) bool) error {
	return h.move(name, history.Replaced, func(m *move) error { return m.drop(equal) })
}

// drop removes what takeOut takes out.
func (m *move) drop(expected func(disk.Stat) bool) error {
	if err := m.takeOut(expected); err != nil {
		return err
	}
	return disk.RemoveAll(m.Files, m.Name)
}
