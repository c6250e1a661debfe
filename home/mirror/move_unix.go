//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
	"swop/say"
)

// A move takes an entry out of a home, by renames alone. It has a directory of its own below moving/ in the account's sandbox, where no
// program looks: there the link lies ready that is exchanged for the entry, and there the entry lies then. The directory has the form of a
// version of package history: to keep the entry is to rename the directory to kept/. Killed between two renames, [home.finishMoves] goes
// on.
type move struct {
	*home
	about  history.About
	name   string // of the entry, in its home and in files
	id     string
	dir    disk.Dir // of the move
	files  disk.Dir // what it has taken out
	place  uint64   // the inode of the entry that is to take its place in the shared directory, 0 for none
	denied error    // why it did not, or not whole; what did not is back in the sandbox then
}

// movesDir is the directory of moves in a sandbox, and placeFile the file in that of a move which has the inode of what is to be shared.
const (
	movesDir  = "moving"
	placeFile = "place"
)

// begin begins a move of the entry at rel, a path below the home. why says why a version is kept, if one is.
func (h *home) begin(rel string, why history.Why) (*move, error) {
	at := time.Unix(int64(h.next.at.Sec), int64(h.next.at.Nsec)).UTC()
	m := &move{
		home: h, name: path.Base(rel), id: at.Format("20060102T150405.000000000Z") + "-" + disk.RandomName(),
		about: history.About{View: h.view, Path: rel, Account: h.Account.Key, Time: at, Why: why},
	}
	moves, err := h.openMoves()
	if err != nil {
		return nil, err
	}
	if m.dir, err = moves.MakeAndOpen(m.id); err != nil {
		return nil, err
	}
	err = history.WriteAbout(m.dir, m.about)
	if err == nil {
		err = m.dir.Mkdir(history.FilesDir)
	}
	if err == nil {
		m.files, err = m.dir.OpenDir(history.FilesDir)
	}
	if err != nil {
		return nil, disk.Undone(err, errors.Join(m.dir.Close(), h.removeMove(m.id)))
	}
	return m, nil
}

// move does act in a move of the entry at rel, a path below the home, and ends it: see [move.end].
func (h *home) move(rel string, why history.Why, act func(*move) error) error {
	m, err := h.begin(rel, why)
	if err != nil {
		return err
	}
	return m.end(act(m))
}

// openMoves opens the directory of moves, and makes it if it is missing.
func (h *home) openMoves() (disk.Dir, error) {
	d, err := disk.Open(h.Account.Dir, disk.NoFollow)
	if err != nil {
		return d, err
	}
	return d.MakeAndOpen(movesDir)
}

// removeMove removes the directory of a move, with all in it.
func (h *home) removeMove(id string) error {
	moves, err := h.openMoves()
	if err != nil {
		return err
	}
	return errors.Join(disk.RemoveAll(moves, id), moves.Close())
}

// toPlace notes, on disk too, that own is to take its place in the shared directory.
func (m *move) toPlace(own disk.Stat) error {
	m.place = own.Ino
	return m.dir.WriteNew(placeFile, []byte(strconv.FormatUint(own.Ino, 10)))
}

// takeOut exchanges the sandbox's entry for its link. If a program put another entry there meanwhile, than one of which expected is true, that
// goes back, and the error is [disk.ErrChanged].
func (m *move) takeOut(expected func(disk.Stat) bool) error {
	if err := unix.Symlinkat(m.target(m.name), m.files.Fd(), m.name); err != nil {
		return m.files.Err("symlink", m.name, err)
	}
	if err := m.files.Exchange(m.name, m.sandbox, m.name); err != nil {
		return m.sandbox.Err("rename", m.name, disk.Changed(err))
	}
	got, err := m.files.Stat(m.name)
	if err != nil || expected(got) {
		return errors.Join(err, m.noteLink(m.name))
	}
	return disk.ChangedAfter(m.files.Err("rename", m.name, m.files.Exchange(m.name, m.sandbox, m.name)))
}

// take moves the entry called name in d, which has no link to come in its place, into files. Across file systems it is copied first.
func (m *move) take(d disk.Dir, name string) error {
	err := d.Move(name, m.files, m.name)
	if errors.Is(err, unix.EXDEV) {
		if err = m.copyOut(d, name); err == nil {
			return disk.RemoveAll(d, name)
		}
	}
	return d.Err("rename", name, disk.Changed(err))
}

// end ends the move, after err. What it has taken out takes its place in the shared directory, if it was to; else it is dropped if it is there
// already, and kept if not.
func (m *move) end(err error) error {
	defer func() { _ = m.close() }() // nothing was written through them
	left, failed := m.settle()
	switch {
	case failed != nil: // the next run goes on
	case left:
		failed = m.keep()
	default:
		failed = m.removeMove(m.id)
	}
	return disk.Undone(disk.Undone(err, m.denied), failed)
}

// settle does what [move.end] says, but for the end itself. It reports whether there is something to keep.
func (m *move) settle() (left bool, err error) {
	if m.place != 0 {
		if err := m.takePlace(); err != nil {
			return false, err
		}
	} else if row, _ := m.rules.Row(m.name); row.Regenerated {
		return false, nil
	}
	entries, err := m.files.Entries()
	for name := range entries {
		spare, err2 := m.isSpare(name)
		left, err = left || !spare, errors.Join(err, err2)
	}
	return left, err
}

// takePlace shares what is to take its place in the shared directory, or gives it back.
func (m *move) takePlace() error {
	entries, err := m.files.Entries()
	for name := range entries {
		i, err := m.files.Stat(name)
		if err == nil && i.Ino == m.place {
			if m.denied = retry(func() error { return m.share(name) }); m.denied != nil {
				err = errors.Join(m.dropCopy(), m.putBack(name))
			}
		}
		if err != nil {
			return err
		}
	}
	return err
}

// putBack gives the entry called name in files back to the sandbox, if nothing but its link is there; unless it is the shared version, which
// has been exchanged.
func (m *move) putBack(name string) error {
	i, err := m.files.Stat(name)
	if err != nil || i.Ino != m.place {
		return err
	}
	own, err := m.sandbox.Stat(m.name)
	if err != nil || !m.isOurLink(m.name, own) {
		return err
	}
	m.now.relink(m.name, m.was)
	return m.sandbox.Err("rename", m.name, m.files.Exchange(name, m.sandbox, m.name))
}

// isSpare reports whether the entry called name in files may go: it is a link of ours, or one that was changed in a directory, see
// [home.retargetLink], or in the shared directory too.
func (m *move) isSpare(name string) (bool, error) {
	i, err := m.files.Stat(name)
	retargeted := i.IsLink() && m.about.Why == history.Replaced && m.about.Path != m.name
	if err != nil || !i.Exists() || retargeted {
		return true, err
	}
	there, err := m.stat(m.about.Path)
	if err != nil || i.Same(there) {
		return true, err
	}
	if i.IsLink() {
		target, err := m.files.Readlink(name)
		wasShared := m.place != 0 && there.Ino == m.place // it may be the user's own, to an entry beside it
		if err != nil || m.linked(target) != "" && !wasShared {
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

// share gives the entry called name in files its place in the shared directory, or in the sandbox if it is private. The version that was there
// takes its place in files.
func (m *move) share(name string) error {
	to := m.shared
	if !m.class(m.name).Shared() {
		to = m.sandbox
	}
	own, err := m.files.Stat(name)
	if err != nil {
		return err
	}
	there, err := to.Stat(m.name)
	switch {
	case err != nil:
		return err
	case own.IsDir() && there.IsDir():
		return disk.Changed(m.mergeTree(m.files, name, to, m.name)) // a program may remove what it merges into
	case own.IsDir() && there.Exists(), there.IsDir():
		return nil // both stay
	case there.Exists():
		err = m.files.Exchange(name, to, m.name)
	default:
		err = m.files.Move(name, to, m.name)
	}
	if errors.Is(err, unix.EXDEV) {
		if err = m.shareCopy(name, own, there); errors.Is(err, disk.ErrNotCopied) && !there.Exists() {
			err = say.WithHint(err, fmt.Sprintf("mv %s %s", say.ShellQuote(m.sandbox.Path+"/"+m.name), say.ShellQuote(to.Path+"/"+m.name)))
		}
	} else {
		err = to.Err("rename", m.name, err)
	}
	if err != nil {
		return disk.Changed(err)
	}
	if row, _ := m.rules.Row(m.name); row.Regenerated {
		err = m.files.Unlink(name)
	}
	return errors.Join(err, m.noteLink(m.name))
}

// keep makes what is in files a version of the history.
func (m *move) keep() error {
	root, err := disk.Open(m.Layout.Root, disk.NoFollow)
	if err != nil {
		return err
	}
	kept, err := root.MakeAndOpen(history.RootDir)
	if err != nil {
		return err
	}
	defer kept.Close()
	moves, err := m.openMoves()
	if err != nil {
		return err
	}
	for _, file := range []string{placeFile, copyFile, partFile} {
		err = errors.Join(err, disk.Ignore(os.Remove(filepath.Join(moves.Path, m.id, file)), fs.ErrNotExist))
	}
	if err == nil {
		err = moves.Move(m.id, kept, m.id)
	}
	if err := errors.Join(moves.Err("rename", m.id, err), moves.Close()); err != nil {
		return err
	}
	if m.about.Why != history.Replaced {
		m.say(fmt.Sprintf("two versions of %q: the other one is kept; see codex swop history", m.about.Path))
	}
	return nil
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
	return disk.RemoveAll(m.files, m.name)
}

func (m *move) close() error { return errors.Join(m.files.Close(), m.dir.Close()) }

// exchangeMade exchanges what was made as partFile for the link called name in d, which leads to target. What a program put there meanwhile goes
// back, and the error is [disk.ErrChanged].
func (m *move) exchangeMade(d disk.Dir, name, target string) error {
	if err := m.dir.Replace(partFile, m.files, m.name); err != nil {
		return err
	}
	if err := m.files.Exchange(m.name, d, name); err != nil {
		return errors.Join(d.Err("rename", name, disk.Changed(err)), m.files.Unlink(m.name))
	}
	if was, err := m.files.Readlink(m.name); err != nil || was == target {
		return errors.Join(err, m.files.Unlink(m.name))
	}
	return disk.ChangedAfter(d.Err("rename", name, m.files.Exchange(m.name, d, name)))
}
