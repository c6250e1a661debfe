//go:build unix

package manager

import (
	"errors"

	"golang.org/x/sys/unix"
)

// foldAside decides over a version of name that lies aside in the sandbox: put there a moment ago, or by a run that was killed, which
// leaves name unknown where it was too long.
func (p *projection) foldAside(old, name string) error {
	for range rounds {
		err := p.placeAside(old, name)
		if !errors.Is(err, errAgain) {
			return err
		}
	}
	return nil
}

func (p *projection) placeAside(old, name string) error {
	own, err := p.sandbox.stat(old)
	if err != nil || !own.exists() {
		return err
	}
	if own.isLink() {
		if gone, err := p.dropAsideLink(old, name, own); err != nil || gone {
			return err
		}
	}
	if name == "" || !p.class(name).linked() {
		return p.giveBack(old, name)
	}
	there, err := p.shared.stat(name)
	if err != nil {
		return err
	}
	row, _ := p.rules.row(name)
	switch {
	case !there.exists():
		return p.placeMove(old, name)
	case own.same(there):
		return p.sandbox.unlink(old)
	case row.Database: // its log is under displaced/ already, and the shared one's is beside that
		return p.displace(p.sandbox, old, name)
	case own.isDir() && there.isDir() && p.appendOnly(name):
		return p.mergeAside(old, p.shared, name)
	case own.isDir() || there.isDir() || own.isLink() || !older(there.mtime, own.mtime) || own.dev != there.dev:
		return p.displace(p.sandbox, old, name)
	}
	// The version aside is newer. The exchange leaves the shared one there, to be kept.
	if err := p.sandbox.exchange(old, p.shared, name); err != nil {
		return p.shared.fail("rename", name, again(err))
	}
	return errors.Join(p.notePlaced(name), p.displace(p.sandbox, old, name))
}

// dropAsideLink removes a link of ours that lies aside. One that a program renamed there, and that no run came to see to, goes back first:
// it stands for the shared entry of its old name.
func (p *projection) dropAsideLink(old, name string, own item) (gone bool, err error) {
	target, err := p.sandbox.readlink(old)
	if err != nil {
		return false, err
	}
	dir, base := splitPath(target)
	if p.wasLinkElsewhere(target, own, name) {
		return true, p.returnRenamed(old, name, base)
	}
	if mark := markLink(own.ino, target); p.last.wasLink(name, mark) || p.last.wasLink(base, mark) { // ours, wherever it leads by now
		return true, p.sandbox.unlink(old)
	}
	if !p.ours(dir) {
		return false, nil
	}
	if base != name {
		if there, err := p.shared.stat(base); err != nil || there.exists() {
			return false, err
		}
	}
	return true, p.sandbox.unlink(old)
}

// returnRenamed gives a renamed link its place back, and lets what it stands for follow it. Where that has done so already, or a program has
// put something else in its place, the link goes.
func (p *projection) returnRenamed(old, name, base string) error {
	there, err := p.shared.stat(base)
	if err != nil {
		return err
	}
	now, err := p.sandbox.stat(name)
	if err != nil {
		return err
	}
	if name == "" || !there.exists() || now.exists() && !p.isOwnLink(name, now) {
		return p.sandbox.unlink(old)
	}
	if err := p.giveBack(old, name); err != nil {
		return err
	}
	return p.foldRenamed(name)
}

// foldRenamed lets the shared entry of a link that a program has renamed to name follow it.
func (p *projection) foldRenamed(name string) error {
	f := finding{renamedLink, name}
	asides, err := p.detachRenamed([]finding{f})
	for _, r := range asides {
		err = errors.Join(err, p.placeShared(r.aside, r.name))
	}
	if err != nil {
		return err
	}
	return p.mendLink(f)
}

// placeMove moves a version that lies aside to its free name in the shared directory; across file systems, it waits until it may be copied.
func (p *projection) placeMove(old, name string) error {
	err := p.sandbox.move(old, p.shared, name)
	if errors.Is(err, unix.EXDEV) {
		if silent, err := p.silent(); err != nil || !silent {
			return err
		}
		err = moveByCopy(p.sandbox, old, p.shared, name)
	}
	if err != nil {
		return p.shared.fail("rename", name, again(err))
	}
	return p.addLink(name)
}

// giveBack returns what was put aside at a name that is the account's own.
func (p *projection) giveBack(old, name string) error {
	if name == "" {
		return p.displace(p.sandbox, old, name)
	}
	err := p.sandbox.move(old, p.sandbox, name)
	if !errors.Is(err, unix.EEXIST) {
		return p.sandbox.fail("rename", name, ignore(err, unix.ENOENT))
	}
	own, err := p.sandbox.stat(old)
	if err != nil {
		return err
	}
	target, err := p.sandbox.readlink(name)
	if err != nil {
		return err
	}
	if dir, _ := splitPath(target); p.ours(dir) {
		// A link of ours, that a program renamed: it goes.
		if err := p.sandbox.exchange(old, p.sandbox, name); err != nil {
			return p.sandbox.fail("rename", name, again(err))
		}
		if was, err := p.sandbox.readlink(old); err != nil || was == target {
			return errors.Join(err, p.sandbox.unlink(old))
		}
		return errAgain
	}
	if own.isDir() && p.appendOnly(name) {
		return p.mergeAside(old, p.sandbox, name)
	}
	return p.displace(p.sandbox, old, name)
}
