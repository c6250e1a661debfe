//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
)

// What a reconcile moves within one file system it does not sync. A file system's journal keeps the order of what changes its directories:
// after a power failure they are as they were at some moment before, at which every version was somewhere, and the next run goes on from
// there. What was written into the files is their writers' to sync. Across file systems there is no such order: see disk.CopyWhole.

// foldOwn brings an entry that the sandbox has in place of its link back into the shared directory. An entry that is new there is adopted;
// one that replaced its link is a version of the shared entry.
func (p *projection) foldOwn(name string) error {
	if row, _ := p.rules.Row(name); row.Database {
		return p.foldDatabase(name)
	}
	return retry(func() error { return p.foldOnce(name) })
}

func (p *projection) foldOnce(name string) error {
	own, err := p.sandbox.Stat(name)
	if err != nil || !own.Movable() || p.isOwnLink(name, own) {
		return err
	}
	if renamed, err := p.isRenamed(name, own, name); err != nil || renamed {
		return err // the next scan finds what it stands for
	}
	if own.IsLink() {
		if changed, err := p.retargetLink(p.sandbox, name); err != nil || changed {
			return disk.ChangedAfter(err)
		}
	}
	there, err := p.shared.Stat(name)
	if err != nil {
		return err
	}
	if there.Exists() {
		return p.foldVersion(name, own, there)
	}
	if !p.was.waited(name, own) { // what waited did not change between two scans: it is not the temporary file of a writer
		if idle, err := p.idle(); err != nil || !idle {
			p.now.wait(name, own)
			return err
		}
	}
	return p.adopt(name, own)
}

// isOwnLink reports whether own, the sandbox's entry at name, is the link that belongs there.
func (p *projection) isOwnLink(name string, own disk.Stat) bool {
	if !own.IsLink() {
		return false
	}
	target, err := p.sandbox.Readlink(name)
	return err == nil && target == p.target(name)
}

// adopt moves a new entry of the sandbox to a free name in the shared directory and leaves a link.
func (p *projection) adopt(name string, own disk.Stat) error {
	if own.IsRegular() {
		// The file gets its second name first, so that it is there at every moment.
		switch err := p.sandbox.Link(name, p.shared, name); {
		case err == nil:
			return errors.Join(p.linkOver(name, own), p.notePlaced(name))
		case !errors.Is(err, unix.EXDEV) && !cannotLink(err):
			return p.shared.Err("link", name, disk.Changed(err))
		}
	}
	if own.IsDir() {
		if err := p.retarget(p.sandbox, name); err != nil {
			return err
		}
	}
	switch err := p.sandbox.Move(name, p.shared, name); {
	case errors.Is(err, unix.EXDEV):
		return p.adoptCopy(name, own)
	case err != nil:
		return p.shared.Err("rename", name, disk.Changed(err))
	}
	return p.addLink(name)
}

// foldVersion decides between the sandbox's version of an entry and the shared one.
func (p *projection) foldVersion(name string, own, there disk.Stat) error {
	switch {
	case own.Same(there):
		return p.linkOver(name, own)
	case own.IsDir() && there.IsDir() && p.appendOnly(name):
		return p.mergeInto(name)
	case own.IsDir() || there.IsDir():
		return p.displaceOwn(name, own)
	case own.Dev != there.Dev:
		if waits, err := p.mustWait(name, own); err != nil || waits {
			return err
		}
	}
	if own.IsLink() && !there.IsLink() {
		return p.foldLink(name, own, there)
	}
	return p.foldContents(name, own, there)
}

// foldContents decides between two versions of one type, which are not directories to merge.
func (p *projection) foldContents(name string, own, there disk.Stat) error {
	if p.sawShared(name, there) {
		if renamed, err := p.linkRenamed(name); err != nil || renamed {
			p.now.wait(name, own)
			return err
		}
	}
	if replaced, err := p.replaced(name, there); err != nil {
		return err
	} else if replaced {
		return p.replaceShared(name, own, there)
	}
	equal, err := p.equal(p.sandbox, name, own, p.shared, name, there)
	switch {
	case err != nil:
		return err
	case equal && own.IsLink():
		return p.linkOver(name, own)
	case equal:
		return p.dropEqual(name, own)
	case disk.Older(there.Mtime, own.Mtime):
		return p.keepAndReplaceShared(name, own, there)
	}
	return p.displaceOwn(name, own)
}

// foldLink decides about a link of somebody else in place of ours, where the shared entry is a file. A program may have moved the file to
// the user's dotfiles; but a link that leads nowhere, left from another shared home, replaces nothing.
func (p *projection) foldLink(name string, own, there disk.Stat) error {
	switch _, err := os.Stat(filepath.Join(p.sandbox.Path, name)); {
	case leadsNowhere(err):
		return p.displaceOwn(name, own)
	case err != nil:
		return err
	}
	return p.keepAndReplaceShared(name, own, there)
}

// keepAndReplaceShared displaces the shared version and puts the sandbox's in its place.
func (p *projection) keepAndReplaceShared(name string, own, there disk.Stat) error {
	if err := p.keepShared(name, there); err != nil {
		return err
	}
	return p.replaceShared(name, own, there)
}

// leadsNowhere reports whether err is that of following a link without a target: nothing is there, or a file or another such link is on the
// way.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENAMETOOLONG)
}

// dropEqual removes the sandbox's version, which equals the shared one, once no process can have it open, the background server included.
// Until then the two may become different.
func (p *projection) dropEqual(name string, own disk.Stat) error {
	if waits, err := p.mustWait(name, own); err != nil || waits {
		return err
	}
	return p.takeOut(name, own.Unmodified, p.sandbox.Unlink)
}

// replaceShared puts the sandbox's version in the place of the shared one, as its program meant to. There is a version under the name at
// every moment.
func (p *projection) replaceShared(name string, own, there disk.Stat) error {
	switch err := p.sandbox.Exchange(name, p.shared, name); {
	case errors.Is(err, unix.EXDEV):
		return p.replaceSharedByCopy(name, own, there)
	case err != nil:
		return p.shared.Err("rename", name, disk.Changed(err))
	}
	if err := p.notePlaced(name); err != nil {
		return err
	}
	// Now the sandbox has the shared version, unless a program was faster.
	return p.takeOut(name, func(got disk.Stat) bool { return got.Unmodified(there) && !got.IsDir() }, p.sandbox.Unlink)
}

// equal reports whether two entries are of one type and have the same contents. For directories it returns false without reading them.
func (p *projection) equal(a disk.Dir, aName string, x disk.Stat, b disk.Dir, bName string, y disk.Stat) (bool, error) {
	switch {
	case x.Type() != y.Type() || x.IsDir():
		return false, nil
	case x.IsLink():
		s, err := a.Readlink(aName)
		if err != nil {
			return false, err
		}
		t, err := b.Readlink(bName)
		return s == t, err
	case x.Size != y.Size:
		return false, nil
	}
	return disk.EqualFiles(a, aName, b, bName)
}

// What crosses file systems must be copied. While it is copied a program might write to the original, and the copy would not have that: so
// nothing is copied unless no process uses the account.

// adoptCopy does what adopt does, where the sandbox and the shared directory are on different file systems.
func (p *projection) adoptCopy(name string, own disk.Stat) error {
	if waits, err := p.mustWait(name, own); err != nil || waits {
		return err
	}
	if err := disk.CopyWhole(p.sandbox, name, own, p.shared, name); err != nil {
		return disk.Changed(err)
	}
	return p.linkOverCopied(name, own)
}

// linkOverCopied replaces an entry, of which a copy was made, by its link. If the entry was written since, it is folded.
func (p *projection) linkOverCopied(name string, own disk.Stat) error {
	return p.takeOut(name, own.Unmodified, func(tmp string) error { return disk.RemoveAll(p.sandbox, tmp) })
}

// replaceSharedByCopy does what replaceShared does, across file systems: the copy is completed, then exchanged for the shared version.
func (p *projection) replaceSharedByCopy(name string, own, there disk.Stat) error {
	unplaced := disk.CopyName()
	if err := disk.CopyEntry(p.sandbox, name, own, p.shared, unplaced); err != nil {
		return disk.Undone(err, disk.RemoveAll(p.shared, unplaced))
	}
	tmp := disk.TempName(name)
	if err := p.shared.Move(unplaced, p.shared, tmp); err != nil {
		return disk.Undone(p.shared.Err("rename", tmp, err), disk.RemoveAll(p.shared, unplaced))
	}
	if err := p.shared.Exchange(tmp, p.shared, name); err != nil {
		return disk.Undone(p.shared.Err("rename", name, disk.Changed(err)), disk.RemoveAll(p.shared, tmp))
	}
	if err := p.shared.Sync(); err != nil { // as in [disk.CopyWhole]
		return err
	}
	got, err := p.shared.Stat(tmp)
	if err != nil {
		return err
	}
	if got.Unmodified(there) {
		err = disk.RemoveAll(p.shared, tmp)
	} else {
		err = p.displace(p.shared, tmp, name)
	}
	return errors.Join(err, p.notePlaced(name), p.linkOverCopied(name, own))
}
