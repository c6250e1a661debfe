//go:build unix

package manager

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// rounds bounds how often an entry is judged anew because a program changed it meanwhile; the next run goes on.
const rounds = 8

// foldOwn brings an entry that the sandbox has of its own, where its link should be, back into the shared directory: an entry that is
// new there is adopted, one that replaced its link is a version of the shared one.
func (p *projection) foldOwn(name string) error {
	if row, _ := p.rules.row(name); row.Database {
		return p.foldDatabase(name)
	}
	for range rounds {
		own, err := p.sandbox.stat(name)
		if err != nil || !own.movable() || p.isOwnLink(name, own) {
			return err
		}
		there, err := p.shared.stat(name)
		if err != nil {
			return err
		}
		if there.exists() {
			err = p.foldVersion(name, own, there)
		} else {
			err = p.adoptSettled(name, own)
		}
		if !errors.Is(err, errAgain) {
			return err
		}
	}
	return nil
}

// errAgain says that a program was faster: look again.
var errAgain = errors.New("changed meanwhile")

// again turns the errors of a program that was faster into errAgain.
func again(err error) error {
	if errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT) {
		return errAgain
	}
	return err
}

func (p *projection) isOwnLink(name string, own item) bool {
	if !own.isLink() {
		return false
	}
	target, err := p.sandbox.readlink(name)
	return err == nil && target == p.target(name)
}

// settled reports whether a new entry is no writer's temporary file any more: unchanged over two looks, or nothing runs here.
func (p *projection) settled(name string, own item) (bool, error) {
	if p.last.waited(name, own) {
		return true, nil
	}
	return p.resting()
}

// adoptSettled adopts a new entry, or notes it for the next look.
func (p *projection) adoptSettled(name string, own item) error {
	settled, err := p.settled(name, own)
	if err != nil || !settled {
		p.next.wait(name, own)
		return err
	}
	return p.adopt(name, own)
}

// adopt moves a new entry of the sandbox into the shared directory, where there is none of this name, and leaves its link.
func (p *projection) adopt(name string, own item) error {
	if own.isRegular() {
		// The file gets its second name first, so that at no moment it is absent.
		switch err := p.sandbox.link(name, p.shared, name); {
		case err == nil:
			return p.linkOver(name, own)
		case !errors.Is(err, unix.EXDEV) && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.EMLINK):
			return p.shared.fail("link", name, again(err))
		}
	}
	switch err := p.sandbox.move(name, p.shared, name); {
	case errors.Is(err, unix.EXDEV):
		return p.adoptCopy(name, own)
	case err != nil:
		return p.shared.fail("rename", name, again(err))
	}
	if err := p.sandbox.symlink(p.target(name), name); err != nil {
		return err
	}
	return p.retarget(p.shared, name)
}

// linkOver replaces the sandbox's entry, which is known to have another name or to be superseded, by its link. What a program put
// there meanwhile is folded.
func (p *projection) linkOver(name string, known item) error {
	old, err := p.swapInLink(name)
	if err != nil || old == "" {
		return err
	}
	got, err := p.sandbox.stat(old)
	if err != nil {
		return err
	}
	if got.same(known) && !got.isDir() {
		return p.sandbox.unlink(old)
	}
	return p.foldAside(old)
}

// swapInLink exchanges the sandbox's entry for its link and returns the name under which it now lies aside, "" if there was none.
func (p *projection) swapInLink(name string) (string, error) {
	old := asideName(name)
	if err := unix.Symlinkat(p.target(name), p.sandbox.fd(), old); err != nil {
		return "", p.sandbox.fail("symlink", old, err)
	}
	err := p.sandbox.exchange(old, p.sandbox, name)
	if errors.Is(err, unix.ENOENT) {
		if err := p.sandbox.move(old, p.sandbox, name); err != nil && !errors.Is(err, unix.EEXIST) {
			return "", p.sandbox.fail("rename", name, err)
		}
		return "", p.sandbox.unlink(old)
	}
	if err != nil {
		return "", errors.Join(p.sandbox.fail("rename", name, err), p.sandbox.unlink(old))
	}
	return old, nil
}

// foldVersion decides between the sandbox's own version of an entry and the shared one.
func (p *projection) foldVersion(name string, own, there item) error {
	switch {
	case own.same(there):
		return p.linkOver(name, own)
	case own.isDir() && there.isDir() && p.appendOnly(name):
		return p.mergeInto(name)
	case own.isDir() || there.isDir():
		return p.setOwnAside(name, own)
	}
	equal, err := p.equal(p.sandbox, name, own, p.shared, name, there)
	if err != nil {
		return err
	}
	if equal || p.lastLook.before(there) {
		return p.succeed(name, own, there)
	}
	if older(there.mtime, own.mtime) {
		if err := p.keepShared(name, there); err != nil {
			return err
		}
		return p.succeed(name, own, there)
	}
	return p.setOwnAside(name, own)
}

// succeed lets the sandbox's version take the place of the shared one, as it would have without us. There is a version under the
// name at every moment.
func (p *projection) succeed(name string, own, there item) error {
	switch err := p.sandbox.exchange(name, p.shared, name); {
	case errors.Is(err, unix.EXDEV):
		return p.succeedByCopy(name, own, there)
	case err != nil:
		return p.shared.fail("rename", name, again(err))
	}
	// The sandbox has the shared version now, unless a program was faster.
	old, err := p.swapInLink(name)
	if err != nil || old == "" {
		return err
	}
	got, err := p.sandbox.stat(old)
	if err != nil {
		return err
	}
	if got.unwritten(there) && !got.isDir() {
		return p.sandbox.unlink(old)
	}
	return p.foldAside(old)
}

// setOwnAside replaces the sandbox's version by its link and keeps it under displaced/.
func (p *projection) setOwnAside(name string, own item) error {
	old, err := p.swapInLink(name)
	if err != nil || old == "" {
		return err
	}
	got, err := p.sandbox.stat(old)
	if err != nil {
		return err
	}
	if got.same(own) {
		return p.displace(p.sandbox, old, name)
	}
	return p.foldAside(old)
}

// foldAside decides over a version of an entry that lies aside: put there a moment ago, or by a run that was killed.
func (p *projection) foldAside(old string) error {
	name, _ := asideOf(old)
	for range rounds {
		own, err := p.sandbox.stat(old)
		if err != nil || !own.exists() {
			return err
		}
		if own.isLink() {
			target, err := p.sandbox.readlink(old)
			if err != nil || p.ours(target) {
				return errors.Join(err, p.sandbox.unlink(old))
			}
		}
		err = p.placeAside(old, name, own)
		if !errors.Is(err, errAgain) {
			return err
		}
	}
	return nil
}

func (p *projection) placeAside(old, name string, own item) error {
	if name == "" || !p.class(name).linked() {
		return p.giveBack(old, name, own)
	}
	there, err := p.shared.stat(name)
	if err != nil {
		return err
	}
	switch {
	case own.isDir() && there.isDir() && p.appendOnly(name):
		return p.mergeAside(old, p.shared, name)
	case !there.exists():
		return p.shared.fail("rename", name, again(p.sandbox.move(old, p.shared, name)))
	case own.same(there):
		return p.sandbox.unlink(old)
	case own.isDir() || there.isDir() || !older(there.mtime, own.mtime):
		equal, err := p.equal(p.sandbox, old, own, p.shared, name, there)
		if err != nil {
			return err
		}
		if equal {
			return p.sandbox.unlink(old)
		}
		return p.displace(p.sandbox, old, name)
	}
	// The version aside is newer. The exchange leaves the shared one there, to be kept.
	if err := p.sandbox.exchange(old, p.shared, name); err != nil {
		return p.shared.fail("rename", name, again(err))
	}
	return p.displace(p.sandbox, old, name)
}

// giveBack returns what was put aside at a name that is the account's own.
func (p *projection) giveBack(old, name string, own item) error {
	if name == "" {
		return p.displace(p.sandbox, old, name)
	}
	err := p.sandbox.move(old, p.sandbox, name)
	if !errors.Is(err, unix.EEXIST) {
		return p.sandbox.fail("rename", name, err)
	}
	if own.isDir() && p.appendOnly(name) {
		return p.mergeAside(old, p.sandbox, name)
	}
	return p.displace(p.sandbox, old, name)
}

// foldTrace completes a rename of a temporary file that had been adopted: the link at name points to the shared temporary, whose
// content is the newest version of name.
func (p *projection) foldTrace(name string) error {
	target, err := p.sandbox.readlink(name)
	if err != nil || !p.ours(target) {
		return err
	}
	tmp := target[len(target)-len(lastPart(target)):]
	fresh, err := p.shared.stat(tmp)
	if err != nil {
		return err
	}
	if fresh.exists() && p.class(name).linked() {
		if err := p.renameShared(tmp, name, fresh); err != nil {
			return err
		}
	}
	return p.mendLink(name)
}

// renameShared renames the shared tmp to name, as its writer meant to. A version of name that another account changed since our last
// look is kept.
func (p *projection) renameShared(tmp, name string, fresh item) error {
	there, err := p.shared.stat(name)
	if err != nil {
		return err
	}
	if !there.exists() {
		err := p.shared.move(tmp, p.shared, name)
		if errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT) {
			return nil // the next look judges it
		}
		return p.shared.fail("rename", name, err)
	}
	if fresh.isDir() != there.isDir() {
		return p.displace(p.shared, tmp, name)
	}
	if err := p.shared.exchange(tmp, p.shared, name); err != nil {
		return p.shared.fail("rename", name, err)
	}
	got, err := p.shared.stat(tmp)
	if err != nil {
		return err
	}
	if got.unwritten(there) && p.lastLook.before(there) && !got.isDir() {
		return p.shared.unlink(tmp)
	}
	return p.displace(p.shared, tmp, name)
}

// keepShared gives the shared version a second name under displaced/, before it is replaced.
func (p *projection) keepShared(name string, there item) error {
	to, kept, err := p.asideFor(name)
	if err != nil {
		return err
	}
	defer to.close()
	err = p.shared.link(name, to, kept)
	if errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EMLINK) || errors.Is(err, unix.ENOTSUP) {
		err = copyEntry(p.shared, name, there, to, kept)
	}
	if err != nil {
		return p.shared.fail("link", name, again(err))
	}
	p.sayKept(name, to, kept)
	return nil
}

// displace moves a version that has lost under displaced/.
func (p *projection) displace(from folder, entry, name string) error {
	to, kept, err := p.asideFor(name)
	if err != nil {
		return err
	}
	defer to.close()
	err = from.move(entry, to, kept)
	if errors.Is(err, unix.EXDEV) {
		err = p.moveByCopy(from, entry, to, kept)
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return from.fail("rename", entry, err)
	}
	p.sayKept(name, to, kept)
	return nil
}

func (p *projection) sayKept(name string, to folder, kept string) {
	p.say(fmt.Sprintf("two versions of %q: the other one is kept as %s/%s", name, to.path, kept))
}

func lastPart(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}
