//go:build unix

package projection

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
)

// A program that renames an entry of its home renames our link but means the file: a temporary file that was adopted becomes config.toml, or
// config.toml becomes config.toml.bak. We recognize the link by its inode, which a rename keeps, and by where it leads: see linkMark.

// renameShared renames the shared entries whose links were renamed. All of them get temporary names before any gets its new one: the names
// may form a chain or a circle.
func (p *projection) renameShared(list []finding) error {
	var renamed []struct{ tmp, name string }
	for _, f := range list {
		if f.kind != renamedLink {
			continue
		}
		tmp, err := p.detach(f.name)
		if denied(err) { // a file server may refuse once and agree the second time
			tmp, err = p.detach(f.name)
		}
		if denied(err) {
			p.say(fmt.Sprintf("not renamed to %q: %v", f.name, err)) // the link is removed, and is back under its name after the next scan
			continue
		}
		if err != nil {
			return err
		}
		if tmp != "" {
			renamed = append(renamed, struct{ tmp, name string }{tmp, f.name})
		}
	}
	for _, r := range renamed {
		if err := p.placeShared(r.tmp, r.name); err != nil {
			return err
		}
	}
	return nil
}

// detach moves the shared entry of the renamed link at name from its old name to a temporary one, which it returns. If the entry is private
// under its new name, it moves to the sandbox at once, and "" is returned.
func (p *projection) detach(name string) (tmp string, err error) {
	link, err := p.sandbox.Stat(name)
	if err != nil {
		return "", err
	}
	target, err := p.sandbox.Readlink(name)
	p.detached[name] = markLink(link.Ino, target)
	dir, old := splitPath(target)
	if err != nil || dir != p.shared.Path || old == name {
		return "", err
	}
	if err := p.undoPairedLink(name, link); err != nil {
		return "", err
	}
	there, err := p.shared.Stat(old)
	if err != nil || !there.Movable() {
		return "", err
	}
	tmp = disk.TempName(name)
	if !p.class(name).Linked() {
		return "", p.bringBack(old, tmp, name)
	}
	own, err := p.sandbox.Stat(old)
	if err != nil {
		return "", err
	}
	if own.Exists() && there.IsRegular() && !p.isOwnLink(old, own) {
		// The program made a new entry under the old name. That will replace the shared one, which stays there until then.
		if err := p.shared.Link(old, p.shared, tmp); err == nil {
			return tmp, nil
		}
	}
	err = p.shared.Move(old, p.shared, tmp)
	return tmp, p.shared.Err("rename", old, disk.Ignore(err, unix.ENOENT))
}

// bringBack moves a shared entry, which is private under its new name, into the sandbox in place of the renamed link.
func (p *projection) bringBack(old, tmp, name string) error {
	err := p.shared.Move(old, p.sandbox, tmp)
	if errors.Is(err, unix.EXDEV) {
		err = disk.MoveByCopy(p.shared, old, p.sandbox, tmp)
	}
	if err != nil {
		return p.sandbox.Err("rename", name, disk.Ignore(err, unix.ENOENT))
	}
	return p.foldTemp(tmp, name)
}

// placeShared gives a version with a temporary name in the shared directory its name. If another account changed the entry of that name
// since the last scan, both are kept.
func (p *projection) placeShared(tmp, name string) error {
	return retry(func() error { return p.placeSharedOnce(tmp, name) })
}

func (p *projection) placeSharedOnce(tmp, name string) error {
	fresh, err := p.shared.Stat(tmp)
	if err != nil || !fresh.Exists() {
		return err
	}
	if name == "" || !p.class(name).Linked() {
		return p.displace(p.shared, tmp, name)
	}
	there, err := p.shared.Stat(name)
	if err != nil {
		return err
	}
	switch {
	case !there.Exists():
		return p.shared.Err("rename", name, disk.Changed(p.shared.Move(tmp, p.shared, name)))
	case fresh.Same(there):
		return p.shared.Unlink(tmp)
	case fresh.IsDir() || there.IsDir():
		return p.displace(p.shared, tmp, name)
	}
	replaced, err := p.replaced(name, there)
	if err != nil {
		return err
	}
	if !replaced && !disk.Older(there.Mtime, fresh.Mtime) {
		return p.displace(p.shared, tmp, name)
	}
	old, err := p.exchangeShared(tmp, name)
	if err != nil {
		return err
	}
	if replaced && old.Unmodified(there) {
		return p.shared.Unlink(tmp)
	}
	return p.displace(p.shared, tmp, name)
}

// exchangeShared exchanges the version with the temporary name for the shared one, and returns that.
func (p *projection) exchangeShared(tmp, name string) (old disk.Stat, err error) {
	if err := p.shared.Exchange(tmp, p.shared, name); err != nil {
		return old, p.shared.Err("rename", name, disk.Changed(err))
	}
	if err := p.notePlaced(name); err != nil {
		return old, err
	}
	return p.shared.Stat(tmp)
}

// sawShared reports whether a program that put an entry in the place of our link saw the shared entry as it is now. If not, the two have no
// common ancestor.
func (p *projection) sawShared(name string, there disk.Stat) bool {
	return p.unchanged(name, there) && p.was.hadLink(name)
}

// replaced reports whether a program that saw the shared entry replaced our link, which does not exist anywhere any more.
func (p *projection) replaced(name string, there disk.Stat) (bool, error) {
	if !p.sawShared(name, there) {
		return false, nil
	}
	stands, err := p.linkExists(name)
	return !stands, err
}

// unchanged reports whether nobody but us changed the shared entry since the last scan.
func (p *projection) unchanged(name string, there disk.Stat) bool {
	return p.last.before(there) || p.was.isPlaced(name, there)
}

// notePlaced notes the shared entry as we left it.
func (p *projection) notePlaced(name string) error {
	i, err := p.shared.Stat(name)
	if err == nil && i.IsRegular() {
		p.now.place(name, i)
	}
	return err
}
