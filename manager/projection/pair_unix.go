//go:build unix

package projection

import (
	"errors"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
	"swop/manager/stamp"
)

// checkPair finds a hard-linked file that lacks one of its names. Across file systems there is no such file: each account has its own.
func (s *scanner) checkPair(name string) error {
	own, there, err := s.statBoth(name)
	if err != nil {
		return err
	}
	same := own.Same(there)
	if same {
		s.now.pair(name, own)
	}
	known, _ := s.was.wasPaired(name, own)
	apart, err := s.apart()
	if err == nil && (!same || !known) && !apart {
		s.add(unpairedFile, name)
	}
	return err
}

// isPaired reports whether the table hard-links the entry and it is the shared one. The user's patterns may make it private all the same.
func (p *projection) isPaired(name string) (bool, error) {
	if p.view != "codex" || !stamp.IsHardLinked(name) {
		return false, nil
	}
	own, there, err := p.statBoth(name)
	return own.Exists() && own.Same(there), err
}

// statBoth returns the sandbox's entry and the shared one.
func (p *projection) statBoth(name string) (own, there disk.Stat, err error) {
	if own, err = p.sandbox.Stat(name); err != nil {
		return own, there, err
	}
	there, err = p.shared.Stat(name)
	return own, there, err
}

// apart reports whether the two directories are on different file systems.
func (p *projection) apart() (bool, error) {
	own, there, err := p.statBoth(".")
	return own.Dev != there.Dev, err
}

// pair keeps one file under both names, for what codex refuses to open through a symbolic link. Programs replace or remove it under their
// own name, and the other name follows. A removal is believed only if the last scan saw the file under both names.
func (p *projection) pair(name string) error {
	err := retry(func() error { return p.pairOnce(name) })
	return disk.Ignore(err, unix.EXDEV) // on another file system it is the account's own
}

func (p *projection) pairOnce(name string) error {
	own, there, err := p.statBoth(name)
	if err != nil {
		return err
	}
	removedHere, asItWas := p.was.wasPaired(name, there)
	removedThere, asIWas := p.was.wasPaired(name, own)
	switch {
	case own.IsLink():
		return p.dropPairLink(name, own)
	case own.Exists() && !own.IsRegular(), there.Exists() && !there.IsRegular():
		return nil
	case own.Same(there):
		p.now.pair(name, own)
		return nil
	case !own.Exists() && !there.Exists():
		return nil
	case !own.Exists() && removedHere: // codex logs out of the last server by removing the file
		return p.followRemoval(p.shared, name, there, asItWas)
	case !own.Exists():
		return p.linkPair(p.shared, p.sandbox, name)
	case !there.Exists() && removedThere: // another account did
		return p.followRemoval(p.sandbox, name, own, asIWas)
	case !there.Exists():
		return p.linkPair(p.sandbox, p.shared, name)
	}
	return p.resolvePair(name, own, there)
}

// unpair removes the sandbox's name of a private file that is the shared one still: as with a link, the account has no file of its own yet.
func (p *projection) unpair(name string) error {
	if paired, err := p.isPaired(name); err != nil || !paired {
		return err
	}
	tmp := disk.TempName(name)
	if err := p.sandbox.Move(name, p.sandbox, tmp); err != nil {
		return p.sandbox.Err("rename", name, disk.Changed(err))
	}
	own, err := p.sandbox.Stat(tmp)
	if err != nil {
		return err
	}
	there, err := p.shared.Stat(name)
	switch {
	case err != nil:
		return err
	case own.Same(there):
		return p.sandbox.Unlink(tmp)
	}
	return disk.ChangedAfter(p.giveBack(tmp, name)) // a program replaced one of the two meanwhile
}

// followRemoval removes the name in d of a file that was removed under its other name. If the file was written since both names were seen,
// it is displaced: the removal may not have been meant for what it holds now.
func (p *projection) followRemoval(d disk.Dir, name string, known disk.Stat, unwritten bool) error {
	tmp := disk.TempName(name)
	if err := d.Move(name, d, tmp); err != nil {
		return d.Err("rename", name, disk.Changed(err))
	}
	got, err := d.Stat(tmp)
	if err != nil {
		return err
	}
	switch {
	case !got.Same(known): // a program replaced it meanwhile
		return d.Err("rename", name, disk.Changed(d.Move(tmp, d, name)))
	case unwritten && got.Unmodified(known):
		return d.Unlink(tmp)
	}
	return p.displace(d, tmp, name)
}

// linkPair gives the file a second name, and notes the pair.
func (p *projection) linkPair(from, to disk.Dir, name string) error {
	if err := from.Link(name, to, name); err != nil {
		return to.Err("link", name, disk.Changed(err))
	}
	made, err := to.Stat(name)
	if err != nil {
		return err
	}
	if made.IsLink() { // a program renamed a link over it meanwhile
		return disk.ChangedAfter(to.Unlink(name))
	}
	if now, err := from.Stat(name); err != nil || !now.Same(made) {
		return disk.ChangedAfter(err)
	}
	p.now.pair(name, made)
	return nil
}

// resolvePair decides between two files. The one that the last scan did not see replaces the other, if nobody wrote to that since; else
// both are kept and the newer one is shared.
func (p *projection) resolvePair(name string, own, there disk.Stat) error {
	_, ownOld := p.was.wasPaired(name, own)
	_, thereOld := p.was.wasPaired(name, there)
	keep := ownOld == thereOld
	if thereOld && !keep || keep && disk.Older(there.Mtime, own.Mtime) {
		return p.overwrite(p.sandbox, p.shared, name, there, keep)
	}
	return p.overwrite(p.shared, p.sandbox, name, own, keep)
}

// overwrite gives winner's file the name in loser too. The file that had the name is removed, or displaced if keep says so.
func (p *projection) overwrite(winner, loser disk.Dir, name string, known disk.Stat, keep bool) error {
	tmp := disk.TempName(name)
	if err := winner.Link(name, loser, tmp); err != nil {
		return loser.Err("link", name, disk.Changed(err))
	}
	if i, err := loser.Stat(tmp); err != nil || !i.IsRegular() {
		return disk.ChangedAfter(errors.Join(err, loser.Unlink(tmp))) // a program renamed a link over it meanwhile
	}
	if err := loser.Exchange(tmp, loser, name); err != nil {
		return disk.Undone(loser.Err("rename", name, disk.Changed(err)), loser.Unlink(tmp))
	}
	got, err := loser.Stat(tmp)
	if err != nil {
		return err
	}
	if !keep && got.Unmodified(known) {
		return disk.ChangedAfter(loser.Unlink(tmp))
	}
	return disk.ChangedAfter(p.displace(loser, tmp, name))
}

// dropPairLink removes a symbolic link of ours where the file itself should be. A link that a program renamed there since the scan stands
// for a file, which is moved there: without the link, nothing would tell that file from one that the program made under the old name since.
func (p *projection) dropPairLink(name string, own disk.Stat) error {
	renamed, err := p.isRenamed(name, own, name)
	if err == nil && renamed {
		_, err = p.detach(name)
	}
	if err != nil {
		return err
	}
	target, err := p.sandbox.Readlink(name)
	if err != nil {
		return err
	}
	now, err := p.sandbox.Stat(name)
	if err != nil || !now.Same(own) {
		return disk.ChangedAfter(err)
	}
	if dir, _ := splitPath(target); !p.ours(dir) {
		return nil
	}
	return disk.ChangedAfter(p.dropLink(name, target))
}

// undoPairedLink removes the second name that a killed run gave to a link of ours, which a program had put in the place of the file that
// was to be paired.
func (p *projection) undoPairedLink(name string, own disk.Stat) error {
	there, err := p.shared.Stat(name)
	if err != nil || !own.Same(there) || p.class(name) != stamp.HardLink {
		return err
	}
	return p.shared.Unlink(name)
}
