//go:build unix

package projection

import (
	"errors"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
)

// linkOver replaces the sandbox's entry by its link. The entry is known to have another name or to be replaced. If a program put another
// one there meanwhile, that is folded.
func (p *projection) linkOver(name string, known disk.Stat) error {
	tmp, got, err := p.swapOut(name)
	if err != nil || tmp == "" {
		return err
	}
	if got.Same(known) && !got.IsDir() {
		return p.sandbox.Unlink(tmp)
	}
	return p.foldSwappedOut(tmp, got, name)
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

// swapOut does what swapInLink does, and returns the entry too.
func (p *projection) swapOut(name string) (tmp string, got disk.Stat, err error) {
	if tmp, err = p.swapInLink(name); err != nil || tmp == "" {
		return "", disk.Stat{}, err
	}
	got, err = p.sandbox.Stat(tmp)
	return tmp, got, err
}

// foldSwappedOut decides about an entry that was found in the place of the one that was judged. A link that a program renamed there goes
// back.
func (p *projection) foldSwappedOut(tmp string, got disk.Stat, name string) error {
	if renamed, err := p.isRenamed(tmp, got, name); err != nil {
		return err
	} else if renamed {
		p.forgetLink(name)
		return p.giveBack(tmp, name)
	}
	return p.foldTemp(tmp, name)
}

// displaceOwn replaces the sandbox's version by its link and displaces it.
func (p *projection) displaceOwn(name string, own disk.Stat) error {
	tmp, got, err := p.swapOut(name)
	if err != nil || tmp == "" {
		return err
	}
	if got.Same(own) {
		return p.displace(p.sandbox, tmp, name)
	}
	return p.foldSwappedOut(tmp, got, name)
}

// cannotLink reports whether the file system or the file's owner does not allow a second name.
func cannotLink(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EMLINK)
}
