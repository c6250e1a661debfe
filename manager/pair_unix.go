//go:build unix

package manager

import (
	"errors"

	"golang.org/x/sys/unix"
)

// unpaired finds a hard-linked file that lacks one of its names. Where the file systems differ it is the account's own.
func (l *looking) unpaired(name string) error {
	own, there, err := l.both(name)
	if err != nil {
		return err
	}
	same := own.same(there)
	if same {
		l.next.pair(name, own)
	}
	known, _ := l.last.wasPaired(name, own)
	apart, err := l.apart()
	if err == nil && (!same || !known) && !apart {
		l.found(notPaired, name)
	}
	return err
}

// isPaired reports whether the entry is one that the table hard-links, and is the shared one. It may be the account's own by the user's
// patterns nevertheless.
func (p *projection) isPaired(name string) (bool, error) {
	if p.view != "codex" || !isHardLinked(name) {
		return false, nil
	}
	own, there, err := p.both(name)
	return own.exists() && own.same(there), err
}

func (p *projection) both(name string) (own, there item, err error) {
	if own, err = p.sandbox.stat(name); err != nil {
		return own, there, err
	}
	there, err = p.shared.stat(name)
	return own, there, err
}

// apart reports whether the two directories are on different file systems.
func (p *projection) apart() (bool, error) {
	own, there, err := p.both(".")
	return own.dev != there.dev, err
}

// pair keeps one file under both names, for what codex refuses to open through a symbolic link. Each program replaces or removes it
// under its own name; the other name follows, but a removal is believed only where the last look knew the file under both names.
func (p *projection) pair(name string) error {
	for range rounds {
		err := p.pairOnce(name)
		if errors.Is(err, unix.EXDEV) {
			return nil // another file system: the account's own
		}
		if !errors.Is(err, errAgain) {
			return err
		}
	}
	return nil
}

func (p *projection) pairOnce(name string) error {
	own, there, err := p.both(name)
	if err != nil {
		return err
	}
	removedHere, asItWas := p.last.wasPaired(name, there)
	removedThere, asIWas := p.last.wasPaired(name, own)
	switch {
	case own.isLink():
		return p.unpairLink(name, own)
	case own.exists() && !own.isRegular(), there.exists() && !there.isRegular():
		return nil
	case own.same(there):
		p.next.pair(name, own)
		return nil
	case !own.exists() && !there.exists():
		return nil
	case !own.exists() && removedHere: // codex logs out of the last server by removing the file
		return p.follow(p.shared, name, there, asItWas)
	case !own.exists():
		return p.giveName(p.shared, p.sandbox, name)
	case !there.exists() && removedThere: // another account did
		return p.follow(p.sandbox, name, own, asIWas)
	case !there.exists():
		return p.giveName(p.sandbox, p.shared, name)
	}
	return p.choosePair(name, own, there)
}

// part takes the account's name from a file that stays the shared one: as with a link, the account has none of its own yet.
func (p *projection) part(name string) error {
	for range rounds {
		if err := p.partOnce(name); !errors.Is(err, errAgain) {
			return err
		}
	}
	return nil
}

func (p *projection) partOnce(name string) error {
	if paired, err := p.isPaired(name); err != nil || !paired {
		return err
	}
	aside := asideName(name)
	if err := p.sandbox.move(name, p.sandbox, aside); err != nil {
		return p.sandbox.fail("rename", name, again(err))
	}
	own, err := p.sandbox.stat(aside)
	if err != nil {
		return err
	}
	there, err := p.shared.stat(name)
	switch {
	case err != nil:
		return err
	case own.same(there):
		return p.sandbox.unlink(aside)
	}
	return againAfter(p.giveBack(aside, name)) // a program replaced one of the two meanwhile
}

// follow removes the other name of a file that was removed under its first one. A file that was written since both were seen is kept
// under displaced/: the removal need not have been meant for what it holds now.
func (p *projection) follow(d folder, name string, known item, unwritten bool) error {
	aside := asideName(name)
	if err := d.move(name, d, aside); err != nil {
		return d.fail("rename", name, again(err))
	}
	got, err := d.stat(aside)
	if err != nil {
		return err
	}
	switch {
	case !got.same(known): // a program replaced it meanwhile
		return d.fail("rename", name, again(d.move(aside, d, name)))
	case unwritten && got.unwritten(known):
		return d.unlink(aside)
	}
	return p.displace(d, aside, name)
}

// giveName gives the file a second name, and notes the pair.
func (p *projection) giveName(from, to folder, name string) error {
	if err := from.link(name, to, name); err != nil {
		return to.fail("link", name, again(err))
	}
	made, err := to.stat(name)
	if err != nil {
		return err
	}
	if made.isLink() { // a program renamed a link over it meanwhile
		return againAfter(to.unlink(name))
	}
	if now, err := from.stat(name); err != nil || !now.same(made) {
		return againAfter(err)
	}
	p.next.pair(name, made)
	return nil
}

// choosePair decides between two files: the one that the last look did not know replaced the other, if nobody wrote to that since;
// else both are kept, the newer one shared.
func (p *projection) choosePair(name string, own, there item) error {
	_, ownOld := p.last.wasPaired(name, own)
	_, thereOld := p.last.wasPaired(name, there)
	keep := ownOld == thereOld
	if thereOld && !keep || keep && older(there.mtime, own.mtime) {
		return p.overwrite(p.sandbox, p.shared, name, there, keep)
	}
	return p.overwrite(p.shared, p.sandbox, name, own, keep)
}

// overwrite gives winner's file the other name too. The file that had it goes, or is kept under displaced/.
func (p *projection) overwrite(winner, loser folder, name string, known item, keep bool) error {
	aside := asideName(name)
	if err := winner.link(name, loser, aside); err != nil {
		return loser.fail("link", name, again(err))
	}
	if i, err := loser.stat(aside); err != nil || !i.isRegular() {
		return againAfter(errors.Join(err, loser.unlink(aside))) // a program renamed a link over it meanwhile
	}
	if err := loser.exchange(aside, loser, name); err != nil {
		return undone(loser.fail("rename", name, again(err)), loser.unlink(aside))
	}
	got, err := loser.stat(aside)
	if err != nil {
		return err
	}
	if !keep && got.unwritten(known) {
		return againAfter(loser.unlink(aside))
	}
	return againAfter(p.displace(loser, aside, name))
}

// unpairLink takes away a symbolic link of ours where the file itself should be. One that a program has renamed there since the look
// stands for a file, which comes in its place: once the link were gone, nothing would tell it from one that the program began anew
// under its old name.
func (p *projection) unpairLink(name string, own item) error {
	renamed, err := p.isRenamed(name, own, name)
	if err == nil && renamed {
		_, err = p.detach(name)
	}
	if err != nil {
		return err
	}
	target, err := p.sandbox.readlink(name)
	if err != nil {
		return err
	}
	now, err := p.sandbox.stat(name)
	if err != nil || !now.same(own) {
		return againAfter(err)
	}
	if dir, _ := splitPath(target); !p.ours(dir) {
		return nil
	}
	return againAfter(p.dropLink(name, target))
}

// undoPairedLink takes back the second name that a run that was killed gave to a link of ours: a program had put that in the place of the
// file that was to be paired.
func (p *projection) undoPairedLink(name string, own item) error {
	there, err := p.shared.stat(name)
	if err != nil || !own.same(there) || p.class(name) != HardLink {
		return err
	}
	return p.shared.unlink(name)
}
