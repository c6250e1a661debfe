//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/manager/disk"
)

// What crosses file systems must be copied, and a copy has a moment in which the original is written and the copy is not: so only
// while nothing at all runs in the account.

// adoptCopy is adopt where the sandbox and the shared directory are on different file systems.
func (p *projection) adoptCopy(name string, own disk.Stat) error {
	if noProcesses, err := p.noProcesses(); err != nil || !noProcesses {
		p.now.wait(name, own)
		return err
	}
	if err := disk.CopyWhole(p.sandbox, name, own, p.shared, name); err != nil {
		return disk.Changed(err)
	}
	return p.linkOverCopied(name, own)
}

// linkOverCopied replaces an entry by its link after it was copied; what was written meanwhile is folded.
func (p *projection) linkOverCopied(name string, own disk.Stat) error {
	old, got, err := p.swapOut(name)
	if err != nil || old == "" {
		return err
	}
	if got.Unmodified(own) {
		return disk.RemoveAll(p.sandbox, old)
	}
	return p.foldSwappedOut(old, got, name)
}

// replaceSharedByCopy is succeed across file systems: the copy is made whole, then exchanged for the shared version.
func (p *projection) replaceSharedByCopy(name string, own, there disk.Stat) error {
	tmp := disk.CopyName()
	if err := disk.CopyEntry(p.sandbox, name, own, p.shared, tmp); err != nil {
		return disk.Undone(err, disk.RemoveAll(p.shared, tmp))
	}
	aside := disk.TempName(name)
	if err := p.shared.Move(tmp, p.shared, aside); err != nil {
		return disk.Undone(p.shared.Err("rename", aside, err), disk.RemoveAll(p.shared, tmp))
	}
	if err := p.shared.Exchange(aside, p.shared, name); err != nil {
		return disk.Undone(p.shared.Err("rename", name, disk.Changed(err)), disk.RemoveAll(p.shared, aside))
	}
	if err := p.shared.Sync(); err != nil { // as in copyWhole
		return err
	}
	got, err := p.shared.Stat(aside)
	if err != nil {
		return err
	}
	if got.Unmodified(there) {
		err = disk.RemoveAll(p.shared, aside)
	} else {
		err = p.displace(p.shared, aside, name)
	}
	return errors.Join(err, p.notePlaced(name), p.linkOverCopied(name, own))
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

// retarget lets links in a directory that is to be adopted, if they point into the sandbox, point to what the sandbox shows there: the
// sandbox may go.
func (p *projection) retarget(d disk.Dir, name string) error {
	sub, err := d.OpenDir(name)
	if err != nil {
		return disk.Changed(err)
	}
	defer sub.Close()
	entries, err := sub.Entries()
	if err != nil {
		return disk.Changed(err)
	}
	for _, child := range slices.Sorted(maps.Keys(entries)) {
		entry := entries[child]
		aside, left := disk.TempOf(child)
		switch {
		case left:
			err = p.finishRetarget(sub, child, aside)
		case entry.Mode.IsDir():
			err = disk.Ignore(p.retarget(sub, child), disk.ErrChanged)
		case entry.Mode&fs.ModeSymlink != 0:
			_, err = p.retargetLink(sub, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// retargetLink is retarget for one link. It reports whether it changed it.
func (p *projection) retargetLink(d disk.Dir, name string) (bool, error) {
	target, err := d.Readlink(name)
	if err != nil {
		return false, err
	}
	outer := p.outsideFrom(d.Path, target)
	if target == "" || outer == target {
		return false, nil
	}
	tmp := disk.TempName(name)
	if err := unix.Symlinkat(outer, d.Fd(), tmp); err != nil {
		return false, d.Err("symlink", tmp, disk.Ignore(err, unix.ENOENT)) // the directory is removed meanwhile
	}
	if err := d.Exchange(tmp, d, name); err != nil {
		return false, errors.Join(d.Err("rename", name, disk.Ignore(err, unix.ENOENT)), d.Unlink(tmp))
	}
	if was, err := d.Readlink(tmp); err != nil || was == target {
		return true, errors.Join(err, d.Unlink(tmp))
	}
	// A program replaced it meanwhile: it gets its own back.
	if err := d.Exchange(tmp, d, name); err != nil {
		return true, d.Err("rename", name, err)
	}
	if is, err := d.Readlink(tmp); err != nil || is == outer {
		return true, errors.Join(err, d.Unlink(tmp))
	}
	return true, p.displace(d, tmp, name) // and replaced it once more
}

// finishRetarget ends a retargetLink that was cut off. Aside lies one of the two links, or what a program had put in their place.
func (p *projection) finishRetarget(d disk.Dir, aside, name string) error {
	was, err := d.Readlink(aside)
	if err != nil {
		return err
	}
	is, err := d.Readlink(name)
	if err != nil {
		return err
	}
	there, err := d.Stat(name)
	if err != nil {
		return err
	}
	switch {
	case was != "" && name != "" && !there.Exists(): // an exchange by three renames was cut off
		if err := d.Move(aside, d, name); err != nil {
			return d.Err("rename", name, disk.Ignore(err, unix.ENOENT, unix.EEXIST))
		}
		_, err := p.retargetLink(d, name)
		return err
	case was != "" && (is == "" || p.outsideFrom(d.Path, was) == p.outsideFrom(d.Path, is)):
		return d.Unlink(aside)
	case was == "" && name != "" && !there.Exists():
		return d.Err("rename", name, disk.Ignore(d.Move(aside, d, name), unix.ENOENT, unix.EEXIST))
	case was == "" && is != "" && p.outsideFrom(d.Path, is) == is:
		if err := d.Exchange(aside, d, name); err != nil {
			return d.Err("rename", name, disk.Ignore(err, unix.ENOENT))
		}
		if got, err := d.Readlink(aside); err != nil || got == is {
			return errors.Join(err, d.Unlink(aside))
		}
	}
	return p.displace(d, aside, name)
}

// outsideFrom is outside for a link in dir: a relative one that leaves the entry that is adopted would lead elsewhere from its new place.
func (p *projection) outsideFrom(dir, target string) string {
	if target == "" || target[0] == '/' {
		return p.outside(target)
	}
	rest, ok := strings.CutPrefix(dir, p.sandbox.Path+"/")
	if !ok {
		return target // at the top: what it shows is beside it in both places
	}
	entry, _, _ := strings.Cut(rest, "/")
	leads := filepath.Join(dir, target)
	if config.Within(leads, p.sandbox.Path+"/"+entry) {
		return target
	}
	return p.outside(leads)
}

// outside returns the path that shows outside of the session what target shows in it.
func (p *projection) outside(target string) string {
	for _, m := range p.views {
		if rest, ok := strings.CutPrefix(target, m.sandbox); ok && (rest == "" || rest[0] == '/') {
			return m.shared + rest
		}
	}
	return target
}
