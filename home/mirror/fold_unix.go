//go:build unix

package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/history"
	"swop/home/links"
	"swop/home/rules"
	"swop/say"
)

// What a reconcile moves within one file system it does not sync. A file system's journal keeps the order of what changes its directories:
// after a power failure they are as they were at some moment before, at which every version was somewhere, and the next run goes on from
// there. What was written into the files is their writers' to sync. Across file systems there is no such order: see package journal.

// folding folds what the sandbox has of its own.
type folding struct{ *home }

// fold brings an entry that the sandbox has in place of its link to the shared directory, if it may be moved. An entry that is new there is
// adopted; one that replaced its link is a version of the shared entry. A link of ours that a program put there since the scan is the next
// one's to read.
func (h folding) fold(name string) error {
	if h.hasRootName(name) {
		path := h.sandbox.Path + "/" + name
		return say.WithHint(errors.New("swop's own directory has this name"), fmt.Sprintf("mv %s %s", say.ShellQuote(path), say.ShellQuote(path+".own")))
	}
	own, err := h.sandbox.Stat(name)
	if err != nil || !own.Movable() {
		return err
	}
	if own.IsLink() {
		target, err := h.sandbox.Readlink(name)
		if err != nil || h.view.Entry(target) != "" {
			return err
		}
	}
	return h.foldEntry(name, own)
}

// hasRootName reports whether an entry of the sandbox has the name of swop's root in HOME, where a session cannot see that.
func (h *home) hasRootName(name string) bool {
	return h.view.Name == rules.HomeView && name == rules.RootName(h.Layout)
}

func (h folding) foldEntry(name string, own disk.Stat) error {
	there, err := h.shared.Stat(name)
	if err != nil {
		return err
	}
	if group, err := h.groupOf(name); err != nil {
		return err
	} else if group != nil {
		return h.foldGroup(group)
	}
	if may, err := h.mayMove(name, own, there); err != nil || !may {
		return err
	}
	if !there.Exists() {
		return h.adopt(name, own)
	}
	return h.foldVersion(name, own, there)
}

// isOurLink reports whether own, the sandbox's entry at name, is the link that belongs there.
func (h *home) isOurLink(name string, own disk.Stat) bool {
	if !own.IsLink() {
		return false
	}
	target, err := h.sandbox.Readlink(name)
	return err == nil && target == h.view.Target(name)
}

// adopt moves a new entry of the sandbox to a free name in the shared directory and leaves a link. A file gets its second name first, so that
// it is there at every moment.
func (h folding) adopt(name string, own disk.Stat) error {
	switch {
	case own.IsLink():
		return h.adoptLink(name, own)
	case own.IsRegular():
		switch err := h.sandbox.Link(name, h.shared, name); {
		case err == nil:
			return h.linkOver(name, own.Same)
		case !errors.Is(err, unix.EXDEV) && !cannotLink(err):
			return h.shared.Err("link", name, disk.Changed(err))
		}
	}
	return h.replaceShared(name, own, history.Replaced)
}

// adoptLink does what adopt does, for somebody else's link: one that leads to the same from where it is then.
func (h folding) adoptLink(name string, own disk.Stat) error {
	target, err := h.sandbox.Readlink(name)
	if err != nil || target == "" {
		return disk.ChangedAfter(err)
	}
	if err := unix.Symlinkat(h.movedTarget(target), h.shared.Fd(), name); err != nil {
		return h.shared.Err("symlink", name, disk.Changed(err))
	}
	return h.linkOver(name, own.Same)
}

// foldVersion decides between the sandbox's version of an entry and the shared one.
func (h folding) foldVersion(name string, own, there disk.Stat) error {
	if own.Same(there) {
		return h.linkOver(name, own.Same)
	}
	if own.IsDir() || there.IsDir() {
		return h.foldDirectory(name, own, there)
	}
	equal, err := h.equal(h.sandbox, name, own, h.shared, name, there)
	switch {
	case err != nil:
		return err
	case equal:
		return h.dropEqual(name, own)
	case own.IsLink() && (!there.IsLink() && h.leadsNowhere(name) || h.leadsBack(name)):
		return h.keepOwn(name, own, history.Older) // left from another shared home; or our link was moved, and this one leads to it
	case h.saw(name, there):
		return h.replaceShared(name, own, history.Replaced)
	case !disk.Older(h.since(name, own), there.Mtime): // git writes x and replaces it within one tick of the clock
		return h.replaceShared(name, own, history.Changed)
	}
	return h.keepOwn(name, own, history.Older)
}

// since returns the time from which on the sandbox has its version of the shared entry. What replaced a link of ours has it since it was put
// there: mv x.orig x brings an old file.
func (h folding) since(name string, own disk.Stat) unix.Timespec {
	if h.was.HadLink(name) {
		return own.Ctime
	}
	return own.Mtime
}

// foldDirectory merges two directories, or keeps the sandbox's entry as it is: of a directory and something else too.
func (h folding) foldDirectory(name string, own, there disk.Stat) error {
	if own.IsDir() && there.IsDir() {
		if merge, err := h.mayMerge(name); err != nil {
			return err
		} else if merge {
			return h.replaceShared(name, own, history.Apart)
		}
	}
	return h.keepOwn(name, own, history.Apart)
}

// saw reports whether the program that replaced our link had seen the shared entry as it is: by what the last scan saw of it, or since it was
// last changed before the last start, if our link stood then.
func (h *home) saw(name string, there disk.Stat) bool {
	return h.was.Saw(name, there) || h.was.Stood(name) && h.last.Before(there)
}

// replaceShared puts the sandbox's version in the place of the shared one, as its program meant to, and keeps that. There is a version under
// the name at every moment, if there is a shared one.
func (h folding) replaceShared(name string, own disk.Stat, why history.Why) error {
	if waits, err := h.standsElsewhere(name); err != nil || waits {
		return err
	}
	if own.IsDir() {
		if err := h.retarget(h.sandbox, name); err != nil {
			return err
		}
	}
	return h.move(name, why, func(m *move) (err error) {
		if !own.IsLink() {
			err = m.ToPlace(own)
		}
		if err == nil {
			err = m.takeOut(own.Same)
		}
		if err == nil && own.IsLink() {
			err = m.retargetTaken()
		}
		return err
	})
}

// leadsNowhere reports whether the sandbox's link will lead nowhere: to nothing at all, or with a file or another such link on the way.
func (h folding) leadsNowhere(name string) bool {
	_, err := os.Stat(h.leadsTo(name))
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENAMETOOLONG)
}

// leadsTo returns where the sandbox's link will lead from the shared directory, by its words.
func (h folding) leadsTo(name string) string {
	target, err := h.sandbox.Readlink(name)
	if target = h.movedTarget(target); err == nil && !filepath.IsAbs(target) {
		target = filepath.Join(h.shared.Path, target)
	}
	return target
}

// leadsBack reports whether the sandbox's link will lead to its own name in the shared directory, by way of other links or at once: after
// mv x dots/x; ln -s dots/x x, the link that was moved still leads to the shared x.
func (h folding) leadsBack(name string) bool {
	return links.Pass(h.leadsTo(name), filepath.Join(disk.Resolve(h.shared.Path), name))
}

// dropEqual removes the sandbox's version, which equals the shared one, and puts its link there; unless a program has opened it meanwhile, and
// may write.
func (h folding) dropEqual(name string, own disk.Stat) error {
	return h.move(name, history.Replaced, func(m *move) error {
		return m.drop(func(i disk.Stat) bool {
			unopened, known := m.Files.Unopened(name)
			return own.Unmodified(i) && (unopened || !known)
		})
	})
}

// mostCompared is how many bytes of files a reconcile compares with others before codex starts: a fraction of a second on a disk that has to
// seek. Of what is not compared both versions are kept, which costs a rename.
const mostCompared = 16 << 20

// equal reports whether two entries are of one type, and have the same permissions and contents. For directories, and for files that would take long
// to read, it returns false without reading them.
func (h *home) equal(a disk.Dir, aName string, x disk.Stat, b disk.Dir, bName string, y disk.Stat) (bool, error) {
	switch {
	case x.Type() != y.Type() || x.IsDir():
		return false, nil
	case x.IsLink():
		s, err := a.Readlink(aName)
		if err != nil {
			return false, err
		}
		t, err := b.Readlink(bName)
		return s == t || h.movedTarget(s) == t, err
	case x.Size != y.Size, x.Perm() != y.Perm(), x.Size > mostCompared-h.compared:
		return false, nil
	}
	h.compared += x.Size
	return disk.EqualFiles(a, aName, b, bName)
}

// cannotLink reports whether the file system or the file's owner does not allow a second name.
func cannotLink(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EMLINK)
}
