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

// foldOwn brings an entry that the sandbox has of its own, where its link should be, back into the shared directory: an entry that is
// new there is adopted, one that replaced its link is a version of the shared one.
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
		return err // the next look finds what it stands for
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
	settled, err := p.settled(name, own)
	if err != nil || !settled {
		p.now.wait(name, own)
		return err
	}
	return p.adopt(name, own)
}

func (p *projection) isOwnLink(name string, own disk.Stat) bool {
	if !own.IsLink() {
		return false
	}
	target, err := p.sandbox.Readlink(name)
	return err == nil && target == p.target(name)
}

// settled reports whether a new entry is no writer's temporary file any more: unchanged over two looks, or nothing runs here.
func (p *projection) settled(name string, own disk.Stat) (bool, error) {
	if p.was.waited(name, own) {
		return true, nil
	}
	return p.idle()
}

// adopt moves a new entry of the sandbox into the shared directory, where there is none of this name, and leaves its link.
func (p *projection) adopt(name string, own disk.Stat) error {
	if own.IsRegular() {
		// The file gets its second name first, so that at no moment it is absent.
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

// foldVersion decides between the sandbox's own version of an entry and the shared one.
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
		if err := p.keepShared(name, there); err != nil {
			return err
		}
		return p.replaceShared(name, own, there)
	}
	return p.displaceOwn(name, own)
}

// foldLink decides over a link that the sandbox has in place of ours, where the shared entry is a file. A program may have moved the
// file into the user's dotfiles; but a link that leads nowhere, a relic of another shared home, replaces nothing.
func (p *projection) foldLink(name string, own, there disk.Stat) error {
	switch _, err := os.Stat(filepath.Join(p.sandbox.Path, name)); {
	case leadsNowhere(err):
		return p.displaceOwn(name, own)
	case err != nil:
		return err
	}
	if err := p.keepShared(name, there); err != nil {
		return err
	}
	return p.replaceShared(name, own, there)
}

// leadsNowhere reports whether err is that of a link which has no target: nothing is there, or on the way lies a file or another such link.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENAMETOOLONG)
}

// dropEqual drops the sandbox's version, which is the same as the shared one, once nobody can have it open any more, the server
// included: until then the two may become different.
func (p *projection) dropEqual(name string, own disk.Stat) error {
	if waits, err := p.mustWait(name, own); err != nil || waits {
		return err
	}
	tmp, got, err := p.swapOut(name)
	if err != nil || tmp == "" {
		return err
	}
	if !got.Unmodified(own) {
		return p.foldSwappedOut(tmp, got, name)
	}
	return p.sandbox.Unlink(tmp)
}

// replaceShared lets the sandbox's version take the place of the shared one, as it would have without us. There is a version under the
// name at every moment.
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
	// The sandbox has the shared version now, unless a program was faster.
	tmp, got, err := p.swapOut(name)
	if err != nil || tmp == "" {
		return err
	}
	if got.Unmodified(there) && !got.IsDir() {
		return p.sandbox.Unlink(tmp)
	}
	return p.foldSwappedOut(tmp, got, name)
}

// equal reports whether two entries are of one kind with the same contents. Directories never are: they are not read.
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
