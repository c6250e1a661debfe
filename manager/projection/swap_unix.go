//go:build unix

package projection

import (
	"errors"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
)

// linkOver replaces the sandbox's entry, which is known to have another name or to be superseded, by its link. What a program put
// there meanwhile is folded.
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

// swapInLink exchanges the sandbox's entry for its link and returns the name under which it now lies aside, "" if there was none.
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

// swapOut is swapInLink, and looks at what lies aside.
func (p *projection) swapOut(name string) (tmp string, got disk.Stat, err error) {
	if tmp, err = p.swapInLink(name); err != nil || tmp == "" {
		return "", disk.Stat{}, err
	}
	got, err = p.sandbox.Stat(tmp)
	return tmp, got, err
}

// foldSwappedOut decides over what was found in the place of a version that was judged. A link that a program has renamed there is given back.
func (p *projection) foldSwappedOut(tmp string, got disk.Stat, name string) error {
	if renamed, err := p.isRenamed(tmp, got, name); err != nil {
		return err
	} else if renamed {
		p.forgetLink(name)
		return p.giveBack(tmp, name)
	}
	return p.foldTemp(tmp, name)
}

// displaceOwn replaces the sandbox's version by its link and keeps it under displaced/.
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

// cannotLink reports whether a file cannot get a second name, for the file system or the file's owner does not allow it.
func cannotLink(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EMLINK)
}
