//go:build unix

package manager

import (
	"errors"
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

func (p *projection) appendOnly(name string) bool {
	row, _ := p.rules.row(name)
	return row.AppendOnly
}

// mergeInto brings what the sandbox's directory has into the shared one and leaves the link. The link comes first: from then on programs
// find one directory under the name, with all subdirectories that they may have made a moment ago, and what they had is moved there
// from aside. What has two versions keeps both.
func (p *projection) mergeInto(name string) error {
	if err := p.mirror(p.sandbox, name, p.shared); err != nil {
		return err
	}
	old, err := p.swapInLink(name)
	if err != nil || old == "" {
		return err
	}
	return p.foldAside(old, name)
}

// mirror makes the directories that the one called name in from contains in the one in to.
func (p *projection) mirror(from folder, name string, to folder) error {
	in, err := from.sub(name)
	if err != nil {
		return again(err)
	}
	defer in.close()
	if err := to.mkdir(name); err != nil {
		return err
	}
	out, err := to.sub(name)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil // a file there: the merge keeps both
	}
	if err != nil {
		return again(err)
	}
	defer out.close()
	entries, err := in.entries()
	if err != nil {
		return again(err)
	}
	for _, child := range slices.Sorted(maps.Keys(entries)) {
		entry := entries[child]
		if entry.mode.IsDir() {
			if err := ignore(p.mirror(in, child, out), errAgain); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeAside moves what a directory that lies aside has into the one called name in to.
func (p *projection) mergeAside(old string, to folder, name string) error {
	left, err := p.merge(p.sandbox, old, to, name)
	if err != nil || left {
		return err
	}
	return ignore(p.sandbox.rmdir(old), unix.ENOTEMPTY, unix.EEXIST, unix.ENOENT)
}

// merge empties the directory called name in from into the one called toName in to. left says that something stayed.
func (p *projection) merge(from folder, name string, to folder, toName string) (left bool, err error) {
	in, err := from.sub(name)
	if err != nil {
		return false, ignore(err, unix.ENOENT)
	}
	defer in.close()
	if err := to.mkdir(toName); err != nil {
		return false, err
	}
	out, err := to.sub(toName)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return false, p.displace(from, name, toName)
	}
	if err != nil {
		return false, again(err)
	}
	defer out.close()
	if err := p.dropCopies(out); err != nil {
		return false, err
	}
	names, err := in.entries()
	if err != nil {
		return false, ignore(err, unix.ENOENT)
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

// dropCopies removes the copies in d that a run that was killed did not finish: their originals are still where they are merged from. Within one
// file system nothing is copied.
func (p *projection) dropCopies(d folder) error {
	apart, err := p.apart()
	if err != nil || !apart {
		return err
	}
	names, err := d.entries()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if isCopy(name) {
			if err := removeAll(d, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *projection) mergeEntry(in folder, name string, out folder) (left bool, err error) {
	i, err := in.stat(name)
	if err != nil || !i.exists() {
		return false, err
	}
	if i.isDir() {
		if left, err := p.merge(in, name, out, name); err != nil || left {
			return left, err
		}
		err := in.rmdir(name)
		return errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST), ignore(err, unix.ENOTEMPTY, unix.EEXIST, unix.ENOENT)
	}
	if !i.movable() {
		return true, nil
	}
	to := name
	if aside, ok := asideOf(name); ok && aside != "" {
		to = aside // of a run that was killed
	}
	err = in.move(name, out, to)
	if errors.Is(err, unix.EXDEV) {
		silent, err := p.silent()
		if err != nil || !silent {
			return true, err
		}
		return false, p.mergeCopy(in, name, i, out, to)
	}
	if errors.Is(err, unix.EEXIST) {
		return false, p.mergeVersion(in, name, i, out, to)
	}
	return false, in.fail("rename", name, ignore(err, unix.ENOENT))
}

func (p *projection) mergeCopy(in folder, name string, own item, out folder, to string) error {
	err := moveByCopy(in, name, out, to)
	if errors.Is(err, unix.EEXIST) {
		return p.mergeVersion(in, name, own, out, to)
	}
	return err
}

// mergeVersion decides over a file that both directories have: the shared one stays, and the other goes if it is the same and nobody
// writes to it any more.
func (p *projection) mergeVersion(in folder, name string, own item, out folder, to string) error {
	there, err := out.stat(to)
	if err != nil {
		return err
	}
	if own.same(there) {
		return in.unlink(name)
	}
	silent, err := p.silent()
	if err != nil {
		return err
	}
	equal, err := p.equal(in, name, own, out, to, there)
	if err != nil {
		return ignore(err, errAgain)
	}
	if !equal || !silent {
		return p.displace(in, name, to)
	}
	aside := asideName(to)
	if err := in.move(name, in, aside); err != nil {
		return in.fail("rename", name, ignore(err, unix.ENOENT))
	}
	if got, err := in.stat(aside); err != nil || !got.unwritten(own) {
		return errors.Join(err, p.displace(in, aside, to))
	}
	return in.unlink(aside)
}

func ignore(err error, harmless ...error) error {
	for _, h := range harmless {
		if errors.Is(err, h) {
			return nil
		}
	}
	return err
}
