//go:build unix

package manager

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// A program that renames an entry of its home renames our link, and means the file: a temporary one that had been adopted becomes
// config.toml, config.toml becomes config.toml.bak. The link is known by its inode, which a rename keeps, together with where it leads:
// see linkMark.

// renaming is a shared entry that lies aside until it gets its new name.
type renaming struct{ aside, name string }

// detachRenamed takes the shared entries of renamed links out of their old names, all of them before any is placed under its new one,
// and returns where they lie aside in the shared directory.
func (p *projection) detachRenamed(list []finding) ([]renaming, error) {
	var asides []renaming
	for _, f := range list {
		if f.kind != renamedLink {
			continue
		}
		aside, err := p.detach(f.name)
		if denied(err) { // a file server may say so and think better of it
			aside, err = p.detach(f.name)
		}
		if denied(err) {
			p.say(fmt.Sprintf("not renamed to %q: %v", f.name, err)) // the link goes, and is back under its name at the next look
			continue
		}
		if err != nil {
			return asides, err
		}
		if aside != "" {
			asides = append(asides, renaming{aside, f.name})
		}
	}
	return asides, nil
}

// detach takes the shared entry that the renamed link at name shows out of its old name. What the account has to itself under the new
// name comes to the sandbox at once.
func (p *projection) detach(name string) (aside string, err error) {
	link, err := p.sandbox.stat(name)
	if err != nil {
		return "", err
	}
	target, err := p.sandbox.readlink(name)
	p.noteDetached(name, markLink(link.ino, target))
	dir, old := splitPath(target)
	if err != nil || dir != p.shared.path || old == name {
		return "", err
	}
	if err := p.undoPairedLink(name, link); err != nil {
		return "", err
	}
	there, err := p.shared.stat(old)
	if err != nil || !there.movable() {
		return "", err
	}
	aside = asideName(name)
	if !p.class(name).linked() {
		return "", p.bringBack(old, aside, name)
	}
	own, err := p.sandbox.stat(old)
	if err != nil {
		return "", err
	}
	if own.exists() && there.isRegular() && !p.isOwnLink(old, own) {
		// The program made a new one under the old name: that takes the shared one's place later, and until then it stays there.
		if err := p.shared.link(old, p.shared, aside); err == nil {
			return aside, nil
		}
	}
	err = p.shared.move(old, p.shared, aside)
	return aside, p.shared.fail("rename", old, ignore(err, unix.ENOENT))
}

// noteDetached remembers which link a program had renamed to name when its shared entry was taken out: another that is renamed there
// since stands for an entry of its own.
func (p *projection) noteDetached(name string, link linkMark) {
	if p.detached == nil {
		p.detached = map[string]linkMark{}
	}
	p.detached[name] = link
}

// bringBack moves a shared entry into the sandbox, where it has become the account's own, in place of the renamed link.
func (p *projection) bringBack(old, aside, name string) error {
	err := p.shared.move(old, p.sandbox, aside)
	if errors.Is(err, unix.EXDEV) {
		err = moveByCopy(p.shared, old, p.sandbox, aside)
	}
	if err != nil {
		return p.sandbox.fail("rename", name, ignore(err, unix.ENOENT))
	}
	return p.foldAside(aside, name)
}

// placeShared gives a version that lies aside in the shared directory its name. If another account changed that since the last look,
// both are kept.
func (p *projection) placeShared(aside, name string) error {
	for range rounds {
		err := p.placeSharedOnce(aside, name)
		if !errors.Is(err, errAgain) {
			return err
		}
	}
	return nil
}

func (p *projection) placeSharedOnce(aside, name string) error {
	fresh, err := p.shared.stat(aside)
	if err != nil || !fresh.exists() {
		return err
	}
	if name == "" || !p.class(name).linked() {
		return p.displace(p.shared, aside, name)
	}
	there, err := p.shared.stat(name)
	if err != nil {
		return err
	}
	switch {
	case !there.exists():
		return p.shared.fail("rename", name, again(p.shared.move(aside, p.shared, name)))
	case fresh.same(there):
		return p.shared.unlink(aside)
	case fresh.isDir() || there.isDir():
		return p.displace(p.shared, aside, name)
	}
	replaced, err := p.replaced(name, there)
	if err != nil {
		return err
	}
	if !replaced && !older(there.mtime, fresh.mtime) {
		return p.displace(p.shared, aside, name)
	}
	if err := p.shared.exchange(aside, p.shared, name); err != nil {
		return p.shared.fail("rename", name, again(err))
	}
	if err := p.notePlaced(name); err != nil {
		return err
	}
	old, err := p.shared.stat(aside)
	if err != nil {
		return err
	}
	if replaced && old.unwritten(there) {
		return p.shared.unlink(aside)
	}
	return p.displace(p.shared, aside, name)
}

// sawShared reports whether a program that has an entry of its own at name, where our link was, saw the shared one as it is: else the two
// have no common ancestor.
func (p *projection) sawShared(name string, there item) bool {
	return p.unchanged(name, there) && p.last.hadLink(name)
}

// replaced reports whether a program that saw the shared entry put another in the place of our link, which is nowhere any more.
func (p *projection) replaced(name string, there item) (bool, error) {
	if !p.sawShared(name, there) {
		return false, nil
	}
	stands, err := p.linkStands(name)
	return !stands, err
}

// unchanged reports whether nobody but us changed the shared entry since the last look.
func (p *projection) unchanged(name string, there item) bool {
	return p.lastLook.before(there) || p.last.isPlaced(name, there)
}

// notePlaced remembers the shared entry as we left it.
func (p *projection) notePlaced(name string) error {
	i, err := p.shared.stat(name)
	if err == nil && i.isRegular() {
		p.next.place(name, i)
	}
	return err
}
