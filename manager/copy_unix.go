//go:build unix

package manager

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// What crosses file systems must be copied, and a copy has a moment in which the original is written and the copy is not: so only
// while nothing at all runs in the account.

// adoptCopy is adopt where the sandbox and the shared directory are on different file systems.
func (p *projection) adoptCopy(name string, own item) error {
	if silent, err := p.silent(); err != nil || !silent {
		p.next.wait(name, own)
		return err
	}
	if err := p.copyIn(name, own, name); err != nil {
		return again(err)
	}
	return p.linkOverCopied(name, own)
}

// copyIn copies the sandbox's entry into the shared directory under a free name: whole, or not at all.
func (p *projection) copyIn(name string, own item, to string) error {
	tmp := asideName(name)
	if err := copyEntry(p.sandbox, name, own, p.shared, tmp); err != nil {
		return errors.Join(err, removeAll(p.shared, tmp))
	}
	if err := p.shared.move(tmp, p.shared, to); err != nil {
		return errors.Join(err, removeAll(p.shared, tmp))
	}
	return nil
}

// linkOverCopied replaces an entry by its link after it was copied; what was written meanwhile is folded.
func (p *projection) linkOverCopied(name string, own item) error {
	old, err := p.swapInLink(name)
	if err != nil || old == "" {
		return err
	}
	got, err := p.sandbox.stat(old)
	if err != nil {
		return err
	}
	if got.unwritten(own) {
		return removeAll(p.sandbox, old)
	}
	return p.foldAside(old)
}

// succeedByCopy is succeed across file systems. The shared version is kept: that it was not written since it was judged cannot be known.
func (p *projection) succeedByCopy(name string, own, there item) error {
	if silent, err := p.silent(); err != nil || !silent {
		p.next.wait(name, own)
		return err
	}
	tmp := asideName(name)
	if err := copyEntry(p.sandbox, name, own, p.shared, tmp); err != nil {
		return errors.Join(err, removeAll(p.shared, tmp))
	}
	if err := p.shared.exchange(tmp, p.shared, name); err != nil {
		return errors.Join(again(err), removeAll(p.shared, tmp))
	}
	got, err := p.shared.stat(tmp)
	if err != nil {
		return err
	}
	if got.unwritten(there) {
		err = removeAll(p.shared, tmp)
	} else {
		err = p.displace(p.shared, tmp, name)
	}
	return errors.Join(err, p.linkOverCopied(name, own))
}

// moveByCopy moves an entry across file systems.
func (p *projection) moveByCopy(from folder, entry string, to folder, kept string) error {
	i, err := from.stat(entry)
	if err != nil {
		return err
	}
	if err := copyEntry(from, entry, i, to, kept); err != nil {
		return errors.Join(err, removeAll(to, kept))
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
		return unix.Symlinkat(target, to.fd(), toName)
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
		return err
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
		return err
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
	for child := range names {
		c, err := in.stat(child)
		if err != nil {
			return err
		}
		if err := copyEntry(in, child, c, out, child); err != nil {
			return err
		}
	}
	if err := out.file.Chmod(fs.FileMode(i.mode & 0o777)); err != nil {
		return err
	}
	return errors.Join(out.file.Sync(), to.setTimes(toName, i))
}

// removeAll removes an entry of ours that was copied, with all below it. It stays on its device and follows no link.
func removeAll(d folder, name string) error {
	i, err := d.stat(name)
	if err != nil || !i.exists() {
		return err
	}
	if !i.isDir() {
		return d.unlink(name)
	}
	sub, err := d.sub(name)
	if err != nil {
		return err
	}
	defer sub.close()
	names, err := sub.entries()
	if err != nil {
		return err
	}
	for child := range names {
		if err := removeAll(sub, child); err != nil {
			return err
		}
	}
	return d.rmdir(name)
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
		return false, again(err)
	}
	defer f.Close()
	g, err := b.open(bName)
	if err != nil {
		return false, again(err)
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

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// retarget lets links in an adopted entry that point into the sandbox point to what the sandbox shows there: the sandbox may go.
func (p *projection) retarget(d folder, name string) error {
	i, err := d.stat(name)
	switch {
	case err != nil:
		return err
	case i.isLink():
		return p.retargetLink(d, name)
	case !i.isDir():
		return nil
	}
	sub, err := d.sub(name)
	if err != nil {
		return err
	}
	defer sub.close()
	names, err := sub.entries()
	if err != nil {
		return err
	}
	for child, mode := range names {
		if mode.IsDir() || mode&fs.ModeSymlink != 0 {
			if err := p.retarget(sub, child); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *projection) retargetLink(d folder, name string) error {
	target, err := d.readlink(name)
	if err != nil {
		return err
	}
	outer := p.outside(target)
	if outer == target {
		return nil
	}
	tmp := asideName(name)
	if err := unix.Symlinkat(outer, d.fd(), tmp); err != nil {
		return d.fail("symlink", tmp, err)
	}
	return d.replace(tmp, d, name)
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
