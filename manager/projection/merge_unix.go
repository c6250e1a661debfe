//go:build unix

package projection

import (
	"errors"
	"maps"
	"slices"

	"golang.org/x/sys/unix"

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
		noProcesses, err := p.noProcesses()
		if err != nil || !noProcesses {
			return true, err
		}
		return false, p.mergeCopy(in, name, i, out, to)
	}
	if errors.Is(err, unix.EEXIST) {
		return false, p.mergeVersion(in, name, i, out, to)
	}
	return false, in.Err("rename", name, disk.Ignore(err, unix.ENOENT))
}

// mergeCopy does what mergeEntry does, across file systems.
func (p *projection) mergeCopy(in disk.Dir, name string, own disk.Stat, out disk.Dir, to string) error {
	err := disk.MoveByCopy(in, name, out, to)
	if errors.Is(err, unix.EEXIST) {
		return p.mergeVersion(in, name, own, out, to)
	}
	return err
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
