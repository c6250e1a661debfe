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
