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

func (p *projection) appendOnly(name string) bool {
	row, _ := p.rules.Row(name)
	return row.AppendOnly
}

// mergeInto merges the sandbox's directory into the shared one and leaves a link. The link comes first: from then on programs find one
// directory under the name, with all the subdirectories that they may have made a moment ago. What they had moves there from the temporary
// name. Of a file with two versions both are kept.
func (p *projection) mergeInto(name string) error {
	if err := p.makeDirsOf(p.sandbox, name, p.shared); err != nil {
		return err
	}
	tmp, err := p.swapInLink(name)
	if err != nil || tmp == "" {
		return err
	}
	return p.foldTemp(tmp, name)
}

// makeDirsOf makes in to the tree of directories that the one called name in from has.
func (p *projection) makeDirsOf(from disk.Dir, name string, to disk.Dir) error {
	in, err := from.OpenDir(name)
	if err != nil {
		return disk.Changed(err)
	}
	defer in.Close()
	if err := to.Mkdir(name); err != nil {
		return err
	}
	out, err := to.OpenDir(name)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil // a file is there: the merge keeps both
	}
	if err != nil {
		return disk.Changed(err)
	}
	defer out.Close()
	entries, err := in.Entries()
	if err != nil {
		return disk.Changed(err)
	}
	for _, child := range slices.Sorted(maps.Keys(entries)) {
		entry := entries[child]
		if entry.Mode.IsDir() {
			if err := disk.Ignore(p.makeDirsOf(in, child, out), disk.ErrChanged); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeTemp merges a directory with the temporary name tmp into the one called name in to.
func (p *projection) mergeTemp(tmp string, to disk.Dir, name string) error {
	left, err := p.merge(p.sandbox, tmp, to, name)
	if err != nil || left {
		return err
	}
	return disk.Ignore(p.sandbox.Rmdir(tmp), unix.ENOTEMPTY, unix.EEXIST, unix.ENOENT)
}

// merge moves the entries of the directory called name in from into the one called toName in to. It reports whether something was left.
func (p *projection) merge(from disk.Dir, name string, to disk.Dir, toName string) (left bool, err error) {
	in, err := from.OpenDir(name)
	if err != nil {
		return false, disk.Ignore(err, unix.ENOENT)
	}
	defer in.Close()
	if err := to.Mkdir(toName); err != nil {
		return false, err
	}
	out, err := to.OpenDir(toName)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return false, p.displace(from, name, toName)
	}
	if err != nil {
		return false, disk.Changed(err)
	}
	defer out.Close()
	if err := p.dropCopies(out); err != nil {
		return false, err
	}
	names, err := in.Entries()
	if err != nil {
		return false, disk.Ignore(err, unix.ENOENT)
	}
	for _, child := range slices.Sorted(maps.Keys(names)) {
		stays, err := p.mergeEntry(in, child, out)
		if err != nil {
			return false, err
		}
		left = left || stays
	}
	return left, nil
}

// dropCopies removes the copies in d that a killed run did not finish: their originals are still where they are merged from. Within one
// file system nothing is copied.
func (p *projection) dropCopies(d disk.Dir) error {
	apart, err := p.apart()
	if err != nil || !apart {
		return err
	}
	return disk.DropCopies(d)
}

// mergeEntry moves one entry of a directory that is merged. It reports whether the entry was left.
func (p *projection) mergeEntry(in disk.Dir, name string, out disk.Dir) (left bool, err error) {
	i, err := in.Stat(name)
	if err != nil || !i.Exists() {
		return false, err
	}
	if i.IsDir() {
		if left, err := p.merge(in, name, out, name); err != nil || left {
			return left, err
		}
		err := in.Rmdir(name)
		return errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST), disk.Ignore(err, unix.ENOTEMPTY, unix.EEXIST, unix.ENOENT)
	}
	if !i.Movable() {
		return true, nil
	}
	to := name
	if original, ok := disk.TempOf(name); ok && original != "" {
		to = original // a killed run left it
	}
	err = in.Move(name, out, to)
	if errors.Is(err, unix.EXDEV) {
		if noProcesses, err := p.noProcesses(); err != nil || !noProcesses {
			return true, err
		}
		if err = disk.MoveByCopy(in, name, out, to); !errors.Is(err, unix.EEXIST) {
			return false, err
		}
	}
	if errors.Is(err, unix.EEXIST) {
		return false, p.mergeVersion(in, name, i, out, to)
	}
	return false, in.Err("rename", name, disk.Ignore(err, unix.ENOENT))
}

// mergeVersion decides about a file that both directories have. The shared one stays; the other is removed if it is equal and nobody writes
// to it any more, and displaced if not.
func (p *projection) mergeVersion(in disk.Dir, name string, own disk.Stat, out disk.Dir, to string) error {
	there, err := out.Stat(to)
	if err != nil {
		return err
	}
	if own.Same(there) {
		return in.Unlink(name)
	}
	noProcesses, err := p.noProcesses()
	if err != nil {
		return err
	}
	equal, err := p.equal(in, name, own, out, to, there)
	if err != nil {
		return disk.Ignore(err, disk.ErrChanged)
	}
	if !equal || !noProcesses {
		return p.displace(in, name, to)
	}
	tmp := disk.TempName(to)
	if err := in.Move(name, in, tmp); err != nil {
		return in.Err("rename", name, disk.Ignore(err, unix.ENOENT))
	}
	if got, err := in.Stat(tmp); err != nil || !got.Unmodified(own) {
		return errors.Join(err, p.displace(in, tmp, to))
	}
	return in.Unlink(tmp)
}

// retarget changes the links, in a directory that is to be adopted, that point into the sandbox. They point to what the sandbox shows there
// instead: the sandbox may be removed.
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
		original, left := disk.TempOf(child)
		switch {
		case left:
			err = p.finishRetarget(sub, child, original)
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

// retargetLink does what retarget does, for one link. It reports whether it changed the link.
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
		return false, d.Err("symlink", tmp, disk.Ignore(err, unix.ENOENT)) // the directory was removed meanwhile
	}
	if err := d.Exchange(tmp, d, name); err != nil {
		return false, errors.Join(d.Err("rename", name, disk.Ignore(err, unix.ENOENT)), d.Unlink(tmp))
	}
	if was, err := d.Readlink(tmp); err != nil || was == target {
		return true, errors.Join(err, d.Unlink(tmp))
	}
	// A program replaced the link meanwhile: its entry goes back.
	if err := d.Exchange(tmp, d, name); err != nil {
		return true, d.Err("rename", name, err)
	}
	if is, err := d.Readlink(tmp); err != nil || is == outer {
		return true, errors.Join(err, d.Unlink(tmp))
	}
	return true, p.displace(d, tmp, name) // the program replaced it once more
}

// finishRetarget completes a retargetLink that was interrupted. The temporary name tmp has the old link, the new one, or what a program had
// put in their place.
func (p *projection) finishRetarget(d disk.Dir, tmp, name string) error {
	was, err := d.Readlink(tmp)
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
	case was != "" && name != "" && !there.Exists(): // an exchange by three renames was interrupted
		if err := d.Move(tmp, d, name); err != nil {
			return d.Err("rename", name, disk.Ignore(err, unix.ENOENT, unix.EEXIST))
		}
		_, err := p.retargetLink(d, name)
		return err
	case was != "" && (is == "" || p.outsideFrom(d.Path, was) == p.outsideFrom(d.Path, is)):
		return d.Unlink(tmp)
	case was == "" && name != "" && !there.Exists():
		return d.Err("rename", name, disk.Ignore(d.Move(tmp, d, name), unix.ENOENT, unix.EEXIST))
	case was == "" && is != "" && p.outsideFrom(d.Path, is) == is:
		if err := d.Exchange(tmp, d, name); err != nil {
			return d.Err("rename", name, disk.Ignore(err, unix.ENOENT))
		}
		if got, err := d.Readlink(tmp); err != nil || got == is {
			return errors.Join(err, d.Unlink(tmp))
		}
	}
	return p.displace(d, tmp, name)
}

// outsideFrom does what outside does, for a link in dir. A relative link that leaves the adopted entry would lead elsewhere from its new
// place.
func (p *projection) outsideFrom(dir, target string) string {
	if target == "" || target[0] == '/' {
		return p.outside(target)
	}
	rest, ok := strings.CutPrefix(dir, p.sandbox.Path+"/")
	if !ok {
		return target // at the top: what the link shows is beside it in both places
	}
	entry, _, _ := strings.Cut(rest, "/")
	leads := filepath.Join(dir, target)
	if config.Within(leads, p.sandbox.Path+"/"+entry) {
		return target
	}
	return p.outside(leads)
}

// outside returns the path outside of the session that leads where target leads in it.
func (p *projection) outside(target string) string {
	for _, m := range p.views {
		if rest, ok := strings.CutPrefix(target, m.sandbox); ok && (rest == "" || rest[0] == '/') {
			return m.shared + rest
		}
	}
	return target
}
