//go:build unix

package manager

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// What a reconcile moves within one file system it does not sync. A file system's journal keeps the order of what changes its directories:
// after a power failure they are as they were at some moment before, at which every version was somewhere, and the next run goes on from
// there. What was written into the files is their writers' to sync. Across file systems there is no such order: see copy_unix.go.

// rounds bounds how often an entry is judged anew because a program changed it meanwhile; the next run goes on.
const rounds = 8

// foldOwn brings an entry that the sandbox has of its own, where its link should be, back into the shared directory: an entry that is
// new there is adopted, one that replaced its link is a version of the shared one.
func (p *projection) foldOwn(name string) error {
	if row, _ := p.rules.row(name); row.Database {
		return p.foldDatabase(name)
	}
	for range rounds {
		err := p.foldOnce(name)
		if !errors.Is(err, errAgain) {
			return err
		}
	}
	return nil
}

func (p *projection) foldOnce(name string) error {
	own, err := p.sandbox.stat(name)
	if err != nil || !own.movable() || p.isOwnLink(name, own) {
		return err
	}
	if renamed, err := p.isRenamed(name, own, name); err != nil || renamed {
		return err // the next look finds what it stands for
	}
	if own.isLink() {
		if changed, err := p.retargetLink(p.sandbox, name); err != nil || changed {
			return againAfter(err)
		}
	}
	there, err := p.shared.stat(name)
	if err != nil {
		return err
	}
	if there.exists() {
		return p.foldVersion(name, own, there)
	}
	settled, err := p.settled(name, own)
	if err != nil || !settled {
		p.next.wait(name, own)
		return err
	}
	return p.adopt(name, own)
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

// againAfter returns errAgain if what had to be done before succeeded, else why it did not: in errAgain that would be lost.
func againAfter(err error) error {
	if err != nil {
		return err
	}
	return errAgain
}

// undone returns why a step failed or, if it is so, why it could not be undone: the former is of no weight to a caller then that knows what
// to do about it, as about a name that is taken.
func undone(err, undo error) error {
	switch {
	case undo == nil:
		return err
	case errors.Is(err, errAgain):
		return undo
	}
	return fmt.Errorf("%w, after %v", undo, err)
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

// adopt moves a new entry of the sandbox into the shared directory, where there is none of this name, and leaves its link.
func (p *projection) adopt(name string, own item) error {
	if own.isRegular() {
		// The file gets its second name first, so that at no moment it is absent.
		switch err := p.sandbox.link(name, p.shared, name); {
		case err == nil:
			return errors.Join(p.linkOver(name, own), p.notePlaced(name))
		case !errors.Is(err, unix.EXDEV) && !cannotLink(err):
			return p.shared.fail("link", name, again(err))
		}
	}
	if own.isDir() {
		if err := p.retarget(p.sandbox, name); err != nil {
			return err
		}
	}
	switch err := p.sandbox.move(name, p.shared, name); {
	case errors.Is(err, unix.EXDEV):
		return p.adoptCopy(name, own)
	case err != nil:
		return p.shared.fail("rename", name, again(err))
	}
	return p.addLink(name)
}

// cannotLink reports whether a file cannot get a second name, for the file system or the file's owner does not allow it.
func cannotLink(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EMLINK)
}

// linkOver replaces the sandbox's entry, which is known to have another name or to be superseded, by its link. What a program put
// there meanwhile is folded.
func (p *projection) linkOver(name string, known item) error {
	old, got, err := p.takeOut(name)
	if err != nil || old == "" {
		return err
	}
	if got.same(known) && !got.isDir() {
		return p.sandbox.unlink(old)
	}
	return p.foldTaken(old, got, name)
}

// swapInLink exchanges the sandbox's entry for its link and returns the name under which it now lies aside, "" if there was none.
func (p *projection) swapInLink(name string) (string, error) {
	old := asideName(name)
	if err := unix.Symlinkat(p.target(name), p.sandbox.fd(), old); err != nil {
		return "", p.sandbox.fail("symlink", old, err)
	}
	err := p.sandbox.exchange(old, p.sandbox, name)
	if errors.Is(err, unix.ENOENT) {
		err := p.sandbox.move(old, p.sandbox, name)
		if errors.Is(err, unix.EEXIST) {
			return "", againAfter(p.sandbox.unlink(old))
		}
		return "", errors.Join(p.sandbox.fail("rename", name, err), p.noteLink(name))
	}
	if err != nil {
		return "", errors.Join(p.sandbox.fail("rename", name, err), p.sandbox.unlink(old))
	}
	return old, p.noteLink(name)
}

// takeOut is swapInLink, and looks at what lies aside.
func (p *projection) takeOut(name string) (old string, got item, err error) {
	if old, err = p.swapInLink(name); err != nil || old == "" {
		return "", item{}, err
	}
	got, err = p.sandbox.stat(old)
	return old, got, err
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
	case own.dev != there.dev:
		if silent, err := p.silent(); err != nil || !silent {
			p.next.wait(name, own)
			return err
		}
	}
	if own.isLink() && !there.isLink() {
		return p.foldLink(name, own, there)
	}
	if p.sawShared(name, there) {
		if renamed, err := p.linkRenamed(name); err != nil || renamed {
			p.next.wait(name, own)
			return err
		}
	}
	if replaced, err := p.replaced(name, there); err != nil {
		return err
	} else if replaced {
		return p.succeed(name, own, there)
	}
	equal, err := p.equal(p.sandbox, name, own, p.shared, name, there)
	switch {
	case err != nil:
		return err
	case equal && own.isLink():
		return p.linkOver(name, own)
	case equal:
		return p.dropEqual(name, own)
	case older(there.mtime, own.mtime):
		if err := p.keepShared(name, there); err != nil {
			return err
		}
		return p.succeed(name, own, there)
	}
	return p.setOwnAside(name, own)
}

// foldLink decides over a link that the sandbox has in place of ours, where the shared entry is a file. A program may have moved the
// file into the user's dotfiles; but a link that leads nowhere, a relic of another shared home, replaces nothing.
func (p *projection) foldLink(name string, own, there item) error {
	switch _, err := os.Stat(filepath.Join(p.sandbox.path, name)); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ELOOP):
		return p.setOwnAside(name, own)
	case err != nil:
		return err
	}
	if err := p.keepShared(name, there); err != nil {
		return err
	}
	return p.succeed(name, own, there)
}

// dropEqual drops the sandbox's version, which is the same as the shared one, once nobody can have it open any more, the server
// included: until then the two may become different.
func (p *projection) dropEqual(name string, own item) error {
	silent, err := p.silent()
	if err != nil || !silent {
		p.next.wait(name, own)
		return err
	}
	old, got, err := p.takeOut(name)
	if err != nil || old == "" {
		return err
	}
	if !got.unwritten(own) {
		return p.foldTaken(old, got, name)
	}
	return p.sandbox.unlink(old)
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
	if err := p.notePlaced(name); err != nil {
		return err
	}
	// The sandbox has the shared version now, unless a program was faster.
	old, got, err := p.takeOut(name)
	if err != nil || old == "" {
		return err
	}
	if got.unwritten(there) && !got.isDir() {
		return p.sandbox.unlink(old)
	}
	return p.foldTaken(old, got, name)
}

// foldTaken decides over what was found in the place of a version that was judged. A link that a program has renamed there is given back.
func (p *projection) foldTaken(old string, got item, name string) error {
	if renamed, err := p.isRenamed(old, got, name); err != nil {
		return err
	} else if renamed {
		p.forgetLink(name)
		return p.giveBack(old, name)
	}
	return p.foldAside(old, name)
}

// setOwnAside replaces the sandbox's version by its link and keeps it under displaced/.
func (p *projection) setOwnAside(name string, own item) error {
	old, got, err := p.takeOut(name)
	if err != nil || old == "" {
		return err
	}
	if got.same(own) {
		return p.displace(p.sandbox, old, name)
	}
	return p.foldTaken(old, got, name)
}

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
	if p.last.wasLink(name, own.ino) || p.last.wasLink(base, own.ino) { // ours, wherever it leads by now
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
		err = p.moveByCopy(p.sandbox, old, p.shared, name)
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
