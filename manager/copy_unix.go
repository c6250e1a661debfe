//go:build unix

package manager

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
)

// What crosses file systems must be copied, and a copy has a moment in which the original is written and the copy is not: so only
// while nothing at all runs in the account.

// adoptCopy is adopt where the sandbox and the shared directory are on different file systems.
func (p *projection) adoptCopy(name string, own item) error {
	if silent, err := p.silent(); err != nil || !silent {
		p.next.wait(name, own)
		return err
	}
	if err := copyWhole(p.sandbox, name, own, p.shared, name); err != nil {
		return again(err)
	}
	return p.linkOverCopied(name, own)
}

// copyWhole copies an entry to a free name: whole, or not at all.
func copyWhole(from folder, name string, i item, to folder, toName string) error {
	tmp := copyName()
	if err := copyEntry(from, name, i, to, tmp); err != nil {
		return undone(err, removeAll(to, tmp))
	}
	if err := to.move(tmp, to, toName); err != nil {
		return undone(to.fail("rename", toName, err), removeAll(to, tmp))
	}
	return to.sync() // before the original goes, on another disk, whose own order of writing is another
}

// linkOverCopied replaces an entry by its link after it was copied; what was written meanwhile is folded.
func (p *projection) linkOverCopied(name string, own item) error {
	old, got, err := p.takeOut(name)
	if err != nil || old == "" {
		return err
	}
	if got.unwritten(own) {
		return removeAll(p.sandbox, old)
	}
	return p.foldTaken(old, got, name)
}

// succeedByCopy is succeed across file systems: the copy is made whole, then exchanged for the shared version.
func (p *projection) succeedByCopy(name string, own, there item) error {
	tmp := copyName()
	if err := copyEntry(p.sandbox, name, own, p.shared, tmp); err != nil {
		return undone(err, removeAll(p.shared, tmp))
	}
	aside := asideName(name)
	if err := p.shared.move(tmp, p.shared, aside); err != nil {
		return undone(p.shared.fail("rename", aside, err), removeAll(p.shared, tmp))
	}
	if err := p.shared.exchange(aside, p.shared, name); err != nil {
		return undone(p.shared.fail("rename", name, again(err)), removeAll(p.shared, aside))
	}
	if err := p.shared.sync(); err != nil { // as in copyWhole
		return err
	}
	got, err := p.shared.stat(aside)
	if err != nil {
		return err
	}
	if got.unwritten(there) {
		err = removeAll(p.shared, aside)
	} else {
		err = p.displace(p.shared, aside, name)
	}
	return errors.Join(err, p.notePlaced(name), p.linkOverCopied(name, own))
}

// moveByCopy moves an entry across file systems.
func moveByCopy(from folder, entry string, to folder, name string) error {
	i, err := from.stat(entry)
	if err != nil {
		return err
	}
	if err := copyWhole(from, entry, i, to, name); err != nil {
		return err
	}
	return removeAll(from, entry)
}

// copyEntry copies a file, link or directory tree with modes and times. Sockets and the like are left out. The copy is synced.
func copyEntry(from folder, name string, i item, to folder, toName string) error {
	switch {
	case i.isLink():
		target, err := from.readlink(name)
		if err != nil {
			return err
		}
		return to.fail("symlink", toName, unix.Symlinkat(target, to.fd(), toName))
	case i.isRegular():
		return copyFile(from, name, i, to, toName)
	case i.isDir():
		return copyDir(from, name, i, to, toName)
	}
	return nil
}

func copyFile(from folder, name string, i item, to folder, toName string) error {
	in, err := from.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	fd, err := unix.Openat(to.fd(), toName, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return to.fail("open", toName, err)
	}
	out := os.NewFile(uintptr(fd), filepath.Join(to.path, toName))
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Chmod(fs.FileMode(i.mode & 0o777))
	}
	if err == nil {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return to.setTimes(toName, i)
}

func (d folder) setTimes(name string, i item) error {
	err := unix.UtimesNanoAt(d.fd(), name, []unix.Timespec{i.mtime, i.mtime}, unix.AT_SYMLINK_NOFOLLOW)
	return d.fail("utimes", name, err)
}

func copyDir(from folder, name string, i item, to folder, toName string) error {
	if err := unix.Mkdirat(to.fd(), toName, 0o700); err != nil {
		return to.fail("mkdir", toName, err)
	}
	in, err := from.sub(name)
	if err != nil {
		return err
	}
	defer in.close()
	out, err := to.sub(toName)
	if err != nil {
		return err
	}
	defer out.close()
	names, err := in.entries()
	if err != nil {
		return err
	}
	for _, child := range slices.Sorted(maps.Keys(names)) {
		c, err := in.stat(child)
		if err != nil {
			return err
		}
		if err := copyEntry(in, child, c, out, child); err != nil {
			return err
		}
	}
	if err := unix.Fchmod(out.fd(), i.mode&0o777); err != nil {
		return out.fail("chmod", "", err)
	}
	return errors.Join(out.sync(), to.setTimes(toName, i))
}

// removeAll removes an entry of ours that was copied, with all below it. It stays on its mount and follows no link.
func removeAll(d folder, name string) error {
	r := removal{top: d}
	return r.remove(d, name)
}

// open opens a file for reading. A FIFO that was put in its place does not make it wait.
func (d folder) open(name string) (*os.File, error) {
	fd, err := unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, d.fail("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.path, name)), nil
}

// equal reports whether two entries are of one kind with the same contents. Directories never are: they are not read.
func (p *projection) equal(a folder, aName string, x item, b folder, bName string, y item) (bool, error) {
	switch {
	case x.kind() != y.kind() || x.isDir():
		return false, nil
	case x.isLink():
		s, err := a.readlink(aName)
		if err != nil {
			return false, err
		}
		t, err := b.readlink(bName)
		return s == t, err
	case x.size != y.size:
		return false, nil
	}
	return equalFiles(a, aName, b, bName)
}

func equalFiles(a folder, aName string, b folder, bName string) (bool, error) {
	f, err := a.open(aName)
	if err != nil {
		return false, unreadable(err)
	}
	defer f.Close()
	g, err := b.open(bName)
	if err != nil {
		return false, unreadable(err)
	}
	defer g.Close()
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(f, x)
		m, err2 := io.ReadFull(g, y)
		if n != m || !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		if ended(err) || ended(err2) {
			return ended(err) && ended(err2), nil
		}
		if err := errors.Join(err, err2); err != nil {
			return false, err
		}
	}
}

// unreadable lets a version that may not be read be judged without its content, and looks again at one that became a link meanwhile.
func unreadable(err error) error {
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return nil
	case errors.Is(err, unix.ELOOP):
		return errAgain
	}
	return again(err)
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// retarget lets links in a directory that is to be adopted, if they point into the sandbox, point to what the sandbox shows there: the
// sandbox may go.
func (p *projection) retarget(d folder, name string) error {
	sub, err := d.sub(name)
	if err != nil {
		return again(err)
	}
	defer sub.close()
	entries, err := sub.entries()
	if err != nil {
		return again(err)
	}
	for _, child := range slices.Sorted(maps.Keys(entries)) {
		entry := entries[child]
		aside, left := asideOf(child)
		switch {
		case left:
			err = p.finishLink(sub, child, aside)
		case entry.mode.IsDir():
			err = ignore(p.retarget(sub, child), errAgain)
		case entry.mode&fs.ModeSymlink != 0:
			_, err = p.retargetLink(sub, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// retargetLink is retarget for one link. It reports whether it changed it.
func (p *projection) retargetLink(d folder, name string) (bool, error) {
	target, err := d.readlink(name)
	if err != nil {
		return false, err
	}
	outer := p.outsideFrom(d.path, target)
	if target == "" || outer == target {
		return false, nil
	}
	tmp := asideName(name)
	if err := unix.Symlinkat(outer, d.fd(), tmp); err != nil {
		return false, d.fail("symlink", tmp, ignore(err, unix.ENOENT)) // the directory is removed meanwhile
	}
	if err := d.exchange(tmp, d, name); err != nil {
		return false, errors.Join(d.fail("rename", name, ignore(err, unix.ENOENT)), d.unlink(tmp))
	}
	if was, err := d.readlink(tmp); err != nil || was == target {
		return true, errors.Join(err, d.unlink(tmp))
	}
	// A program replaced it meanwhile: it gets its own back.
	if err := d.exchange(tmp, d, name); err != nil {
		return true, d.fail("rename", name, err)
	}
	if is, err := d.readlink(tmp); err != nil || is == outer {
		return true, errors.Join(err, d.unlink(tmp))
	}
	return true, p.displace(d, tmp, name) // and replaced it once more
}

// finishLink ends a retargetLink that was cut off. Aside lies one of the two links, or what a program had put in their place.
func (p *projection) finishLink(d folder, aside, name string) error {
	was, err := d.readlink(aside)
	if err != nil {
		return err
	}
	is, err := d.readlink(name)
	if err != nil {
		return err
	}
	there, err := d.stat(name)
	if err != nil {
		return err
	}
	switch {
	case was != "" && name != "" && !there.exists(): // an exchange by three renames was cut off
		if err := d.move(aside, d, name); err != nil {
			return d.fail("rename", name, ignore(err, unix.ENOENT, unix.EEXIST))
		}
		_, err := p.retargetLink(d, name)
		return err
	case was != "" && (is == "" || p.outsideFrom(d.path, was) == p.outsideFrom(d.path, is)):
		return d.unlink(aside)
	case was == "" && name != "" && !there.exists():
		return d.fail("rename", name, ignore(d.move(aside, d, name), unix.ENOENT, unix.EEXIST))
	case was == "" && is != "" && p.outsideFrom(d.path, is) == is:
		if err := d.exchange(aside, d, name); err != nil {
			return d.fail("rename", name, ignore(err, unix.ENOENT))
		}
		if got, err := d.readlink(aside); err != nil || got == is {
			return errors.Join(err, d.unlink(aside))
		}
	}
	return p.displace(d, aside, name)
}

// outsideFrom is outside for a link in dir: a relative one that leaves the entry that is adopted would lead elsewhere from its new place.
func (p *projection) outsideFrom(dir, target string) string {
	if target == "" || target[0] == '/' {
		return p.outside(target)
	}
	rest, ok := strings.CutPrefix(dir, p.sandbox.path+"/")
	if !ok {
		return target // at the top: what it shows is beside it in both places
	}
	entry, _, _ := strings.Cut(rest, "/")
	leads := filepath.Join(dir, target)
	if config.Within(leads, p.sandbox.path+"/"+entry) {
		return target
	}
	return p.outside(leads)
}

// outside returns the path that shows outside of the session what target shows in it.
func (p *projection) outside(target string) string {
	for _, m := range p.mirrors {
		if rest, ok := strings.CutPrefix(target, m.sandbox); ok && (rest == "" || rest[0] == '/') {
			return m.shared + rest
		}
	}
	return target
}
