//go:build unix

package manager

import (
	"errors"

	"golang.org/x/sys/unix"
)

// paired reports whether the file has both names, and had them at the last look.
func (p *projection) paired(name string) (bool, error) {
	own, err := p.sandbox.stat(name)
	if err != nil {
		return false, err
	}
	there, err := p.shared.stat(name)
	if err != nil || !own.same(there) {
		return false, err
	}
	p.next.pair(name, own)
	return p.last.wasPaired(name, own), nil
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
	own, err := p.sandbox.stat(name)
	if err != nil {
		return err
	}
	there, err := p.shared.stat(name)
	if err != nil {
		return err
	}
	switch {
	case own.isLink():
		return p.unpairLink(name)
	case own.exists() && !own.isRegular(), there.exists() && !there.isRegular():
		return nil
	case own.same(there):
		p.next.pair(name, own)
		return nil
	case !own.exists() && !there.exists():
		return nil
	case !own.exists() && p.last.wasPaired(name, there):
		return p.shared.unlink(name) // removed here: codex logs out of the last server by removing the file
	case !own.exists():
		return p.giveName(p.shared, p.sandbox, name)
	case !there.exists() && p.last.wasPaired(name, own):
		return p.sandbox.unlink(name) // removed in another account
	case !there.exists():
		return p.giveName(p.sandbox, p.shared, name)
	}
	return p.choose(name, own, there)
}

// giveName gives the file a second name, and notes the pair.
func (p *projection) giveName(from, to folder, name string) error {
	if err := from.link(name, to, name); err != nil {
		return to.fail("link", name, again(err))
	}
	i, err := to.stat(name)
	if err == nil {
		p.next.pair(name, i)
	}
	return err
}

// choose decides between two files: the one that the last look did not know replaced the other; else both are kept, the newer shared.
func (p *projection) choose(name string, own, there item) error {
	ownOld, thereOld := p.last.wasPaired(name, own), p.last.wasPaired(name, there)
	keep := !ownOld && !thereOld
	if thereOld || keep && older(there.mtime, own.mtime) {
		return p.overwrite(p.sandbox, p.shared, name, keep)
	}
	return p.overwrite(p.shared, p.sandbox, name, keep)
}

// overwrite gives winner's file the other name too. The file that had it goes, or is kept under displaced/.
func (p *projection) overwrite(winner, loser folder, name string, keep bool) error {
	tmp := asideName(name)
	if err := winner.link(name, loser, tmp); err != nil {
		return loser.fail("link", name, again(err))
	}
	if err := loser.exchange(tmp, loser, name); err != nil {
		return errors.Join(again(err), loser.unlink(tmp))
	}
	if i, err := loser.stat(name); err != nil {
		return err
	} else if i.exists() {
		p.next.pair(name, i)
	}
	if keep {
		return p.displace(loser, tmp, name)
	}
	return loser.unlink(tmp)
}

// unpairLink takes away a symbolic link that an older table made.
func (p *projection) unpairLink(name string) error {
	target, err := p.sandbox.readlink(name)
	if err != nil || !p.ours(target) {
		return err
	}
	if err := p.dropLink(name); err != nil {
		return err
	}
	return errAgain
}
