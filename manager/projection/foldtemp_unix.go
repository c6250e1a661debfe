//go:build unix

package projection

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
)

// foldTemp decides about a version of name that has the temporary name tmp in the sandbox. This run moved it there, or a killed one. name
// is "" if it was too long to be part of the temporary name.
func (p *projection) foldTemp(tmp, name string) error {
	return retry(func() error { return p.foldTempOnce(tmp, name) })
}

func (p *projection) foldTempOnce(tmp, name string) error {
	own, err := p.sandbox.Stat(tmp)
	if err != nil || !own.Exists() {
		return err
	}
	if own.IsLink() {
		if gone, err := p.dropTempLink(tmp, name, own); err != nil || gone {
			return err
		}
	}
	if name == "" || !p.class(name).Linked() {
		return p.giveBack(tmp, name)
	}
	there, err := p.shared.Stat(name)
	if err != nil {
		return err
	}
	row, _ := p.rules.Row(name)
	switch {
	case !there.Exists():
		return p.adoptTemp(tmp, name)
	case own.Same(there):
		return p.sandbox.Unlink(tmp)
	case row.Database: // its log is under displaced/ already
		return p.displace(p.sandbox, tmp, name)
	case own.IsDir() && there.IsDir() && p.appendOnly(name):
		return p.mergeTemp(tmp, p.shared, name)
	case own.IsDir() || there.IsDir() || own.IsLink() || !disk.Older(there.Mtime, own.Mtime) || own.Dev != there.Dev:
		return p.displace(p.sandbox, tmp, name)
	}
	// The version with the temporary name is newer. The exchange gives that name to the shared one, which is displaced.
	if err := p.sandbox.Exchange(tmp, p.shared, name); err != nil {
		return p.shared.Err("rename", name, disk.Changed(err))
	}
	return errors.Join(p.notePlaced(name), p.displace(p.sandbox, tmp, name))
}

// dropTempLink removes a link of ours that has a temporary name. A link that a program renamed, and that no scan has seen since, goes back
// first: it stands for the shared entry of its old name.
func (p *projection) dropTempLink(tmp, name string, own disk.Stat) (gone bool, err error) {
	target, err := p.sandbox.Readlink(tmp)
	if err != nil {
		return false, err
	}
	dir, base := splitPath(target)
	if p.wasLinkElsewhere(target, own, name) {
		return true, p.returnRenamed(tmp, name, base)
	}
	if mark := markLink(own.Ino, target); p.was.wasLink(name, mark) || p.was.wasLink(base, mark) { // ours, to a shared home of long ago
		return true, p.sandbox.Unlink(tmp)
	}
	if !p.ours(dir) {
		return false, nil
	}
	if base != name {
		if there, err := p.shared.Stat(base); err != nil || there.Exists() {
			return false, err
		}
	}
	return true, p.sandbox.Unlink(tmp)
}

// returnRenamed moves a renamed link back to name, and renames the shared entry it stands for. The link is removed instead if that entry
// was renamed already, or if a program put something else at name.
func (p *projection) returnRenamed(tmp, name, base string) error {
	there, err := p.shared.Stat(base)
	if err != nil {
		return err
	}
	now, err := p.sandbox.Stat(name)
	if err != nil {
		return err
	}
	if name == "" || !there.Exists() || now.Exists() && !p.isOwnLink(name, now) {
		return p.sandbox.Unlink(tmp)
	}
	if err := p.giveBack(tmp, name); err != nil {
		return err
	}
	f := finding{renamedLink, name}
	if err := p.renameShared([]finding{f}); err != nil {
		return err
	}
	return p.repairLink(f)
}

// adoptTemp moves a version with a temporary name to its free name in the shared directory. Across file systems it waits until it may be
// copied.
func (p *projection) adoptTemp(tmp, name string) error {
	err := p.sandbox.Move(tmp, p.shared, name)
	if errors.Is(err, unix.EXDEV) {
		if noProcesses, err := p.noProcesses(); err != nil || !noProcesses {
			return err
		}
		err = disk.MoveByCopy(p.sandbox, tmp, p.shared, name)
	}
	if err != nil {
		return p.shared.Err("rename", name, disk.Changed(err))
	}
	return p.addLink(name)
}

// giveBack moves an entry from its temporary name back to name, where the account keeps it to itself.
func (p *projection) giveBack(tmp, name string) error {
	if name == "" {
		return p.displace(p.sandbox, tmp, name)
	}
	err := p.sandbox.Move(tmp, p.sandbox, name)
	if !errors.Is(err, unix.EEXIST) {
		return p.sandbox.Err("rename", name, disk.Ignore(err, unix.ENOENT))
	}
	own, err := p.sandbox.Stat(tmp)
	if err != nil {
		return err
	}
	target, err := p.sandbox.Readlink(name)
	if err != nil {
		return err
	}
	if dir, _ := splitPath(target); p.ours(dir) {
		// A link of ours that a program renamed is removed.
		if err := p.sandbox.Exchange(tmp, p.sandbox, name); err != nil {
			return p.sandbox.Err("rename", name, disk.Changed(err))
		}
		if was, err := p.sandbox.Readlink(tmp); err != nil || was == target {
			return errors.Join(err, p.sandbox.Unlink(tmp))
		}
		return disk.ErrChanged
	}
	if own.IsDir() && p.appendOnly(name) {
		return p.mergeTemp(tmp, p.sandbox, name)
	}
	return p.displace(p.sandbox, tmp, name)
}

// takeOut replaces the sandbox's entry by its link and calls drop with the entry's temporary name if the entry is the expected one. What a
// program put there meanwhile is folded.
func (p *projection) takeOut(name string, expected func(disk.Stat) bool, drop func(tmp string) error) error {
	tmp, err := p.swapInLink(name)
	if err != nil || tmp == "" {
		return err
	}
	got, err := p.sandbox.Stat(tmp)
	switch {
	case err != nil:
		return err
	case expected(got):
		return drop(tmp)
	}
	return p.foldSwappedOut(tmp, got, name)
}

// linkOver replaces the sandbox's entry, which has another name too, by its link.
func (p *projection) linkOver(name string, known disk.Stat) error {
	return p.takeOut(name, func(got disk.Stat) bool { return got.Same(known) && !got.IsDir() }, p.sandbox.Unlink)
}

// displaceOwn replaces the sandbox's version by its link and displaces it.
func (p *projection) displaceOwn(name string, own disk.Stat) error {
	return p.takeOut(name, own.Same, func(tmp string) error { return p.displace(p.sandbox, tmp, name) })
}

// swapInLink exchanges the sandbox's entry for its link. It returns the entry's temporary name, "" if there was no entry.
func (p *projection) swapInLink(name string) (string, error) {
	tmp := disk.TempName(name)
	if err := unix.Symlinkat(p.target(name), p.sandbox.Fd(), tmp); err != nil {
		return "", p.sandbox.Err("symlink", tmp, err)
	}
	err := p.sandbox.Exchange(tmp, p.sandbox, name)
	if errors.Is(err, unix.ENOENT) {
		err := p.sandbox.Move(tmp, p.sandbox, name)
		if errors.Is(err, unix.EEXIST) {
			return "", disk.ChangedAfter(p.sandbox.Unlink(tmp))
		}
		return "", errors.Join(p.sandbox.Err("rename", name, err), p.noteLink(name))
	}
	if err != nil {
		return "", errors.Join(p.sandbox.Err("rename", name, err), p.sandbox.Unlink(tmp))
	}
	return tmp, p.noteLink(name)
}

// foldSwappedOut decides about an entry that was found in the place of the one that was judged. A link that a program renamed there goes
// back.
func (p *projection) foldSwappedOut(tmp string, got disk.Stat, name string) error {
	if renamed, err := p.isRenamed(tmp, got, name); err != nil {
		return err
	} else if renamed {
		delete(p.now.Links, strconv.Quote(name)) // which noteLink noted
		return p.giveBack(tmp, name)
	}
	return p.foldTemp(tmp, name)
}

// cannotLink reports whether the file system or the file's owner does not allow a second name.
func cannotLink(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EMLINK)
}
