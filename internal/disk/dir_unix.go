//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"swop/internal/disk/sys"
	"swop/internal/say"
)

func (d Dir) Sync() error { return d.Err("sync", "", sys.Errno(d.file.Sync())) }

func (d Dir) Fd() int { return int(d.file.Fd()) }

// typeOf returns the type bits of an entry.
func (d Dir) typeOf(e fs.DirEntry) fs.FileMode { return e.Type() }

// Stat returns the entry called name; one that is not there, or has a name that none can have, is not an error.
func (d Dir) Stat(name string) (Stat, error) {
	var st unix.Stat_t
	err := unix.Fstatat(d.Fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENAMETOOLONG) {
		return Stat{}, nil
	}
	if err != nil {
		return Stat{}, d.Err("stat", name, err)
	}
	return StatOf(&st), nil
}

// Readlink returns the target of the link called name, "" if there is no link.
func (d Dir) Readlink(name string) (string, error) {
	var text [unix.PathMax]byte
	n, err := unix.Readlinkat(d.Fd(), name, text[:])
	return string(text[:max(n, 0)]), d.Err("readlink", name, Ignore(sys.Errno(err), unix.EINVAL, unix.ENOENT))
}

func (d Dir) symlink(target, name string) error { return sys.Errno(d.root.Symlink(target, name)) }

func (d Dir) unlink(name string) error { return unix.Unlinkat(d.Fd(), name, 0) }

func (d Dir) rmdir(name string) error { return unix.Unlinkat(d.Fd(), name, unix.AT_REMOVEDIR) }

// briefly calls f once: nobody is kept out for a moment.
func briefly(f func() error) error { return f() }

// Link gives the file called name a second name. The error is the bare errno, for the caller to judge.
func (d Dir) Link(name string, to Dir, toName string) error {
	return unix.Linkat(d.Fd(), name, to.Fd(), toName, 0)
}

// Take renames an entry, whichever has the name by then, to a name that nobody else takes. The error is the bare errno.
func (d Dir) Take(name string, to Dir, toName string) error {
	return unix.Renameat(d.Fd(), name, to.Fd(), toName)
}

func (d Dir) moveNew(name string, to Dir, toName string) error {
	err := renameNoReplace(d.Fd(), name, to.Fd(), toName)
	if !noSuchRename(err) {
		return err
	}
	// a file system without RENAME_NOREPLACE: link(2) does not replace either, but links no directories
	if err = d.Link(name, to, toName); errors.Is(err, unix.EPERM) {
		if there, err := to.Stat(toName); err != nil || there.Exists() {
			return errors.Join(err, unix.EEXIST)
		}
		return d.Take(name, to, toName)
	}
	if err == nil {
		if err := d.Unlink(name); err != nil {
			return errors.Join(err, to.Unlink(toName))
		}
	}
	return err
}

// Exchange swaps two entries at once; d is a directory of ours alone. Where the file system cannot, it takes steps: killed between them, d
// is left with both entries.
func (d Dir) Exchange(name string, to Dir, toName string) error {
	err := to.unlocked(toName, func() error { return renameExchange(d.Fd(), name, to.Fd(), toName) })
	if !noSuchRename(err) {
		return err
	}
	return d.exchangeInSteps(name, to, toName)
}

// list reads the directory. A file of an [os.Root] would call stat(2) for each entry.
func (d Dir) list() ([]fs.DirEntry, error) {
	fd, err := unix.Openat(d.Fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), d.Path)
	defer f.Close()
	return f.ReadDir(-1)
}

// Mounted refuses to touch a mount point.
func Mounted(path string) error {
	return Unsafe("%s: is a mount point, left as it is", say.Name(path))
}

// Narrow makes a file owner-only.
func (d Dir) Narrow(name string) error {
	f, err := d.OpenFile(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}
