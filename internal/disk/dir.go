package disk

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/disk/sys"
	"swop/internal/say"
)

// LinkPolicy says whether a link at the end of a path is followed.
type LinkPolicy bool

const (
	Follow   LinkPolicy = true
	NoFollow LinkPolicy = false
)

// WithoutSlash returns path without slashes at its end: links are told by the text before their last slash.
func WithoutSlash(path string) string {
	top := len(filepath.VolumeName(path)) + 1
	for len(path) > top && os.IsPathSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	return path
}

// Dir is an open directory. Its methods take the name of an entry, a single component, and act below an [os.Root] without following a link
// at it: what another process puts in the way cannot lead outside.
type Dir struct {
	Path string
	root *os.Root
	file *os.File // the same directory, for calls between two directories
}

// Open opens the directory at path. A link at its last component is followed only where follow says so: the shared home may
// be a link, a sandbox may not.
func Open(path string, follow LinkPolicy) (Dir, error) {
	path = WithoutSlash(path)
	look := func() (Stat, error) { return Lstat(path) }
	if follow {
		look = func() (Stat, error) { return stat(path, sys.Stat) }
	}
	return openDir(path, look, func() (*os.Root, error) { return os.OpenRoot(path) })
}

// OpenDir opens the directory called name in d.
func (d Dir) OpenDir(name string) (Dir, error) {
	look := func() (Stat, error) { return d.Stat(name) }
	return openDir(filepath.Join(d.Path, name), look, func() (*os.Root, error) { return d.root.OpenRoot(name) })
}

// openDir opens the directory that look has seen, if it is still the same.
func openDir(path string, look func() (Stat, error), open func() (*os.Root, error)) (d Dir, err error) {
	i, err := look()
	switch {
	case err != nil:
	case !i.Exists():
		err = sys.ENOENT
	case i.IsLink():
		return d, say.Refuse(sys.ELOOP, path+": is a link")
	case !i.IsDir():
		err = sys.ENOTDIR
	default:
		d.root, err = open()
	}
	if err == nil {
		d.Path = path
		d.file, err = d.root.Open(".")
	}
	if err != nil {
		_ = d.Close()
		return Dir{}, &fs.PathError{Op: "open", Path: say.Name(path), Err: sys.Errno(err)}
	}
	var here sys.Stat_t
	if err := sys.Fstat(int(d.file.Fd()), &here); err != nil || !StatOf(&here).Same(i) {
		_ = d.Close()
		return Dir{}, cmp.Or(err, ErrChanged)
	}
	return d, nil
}

// Close of a directory that was not opened does nothing: standard input stays open. Nothing was written that it could fail to write.
func (d Dir) Close() error {
	if d.root == nil {
		return nil
	}
	_ = d.file.Close()
	return d.root.Close()
}

// OpenBelow opens the directory at path, which lies below base. No link is followed on the way from base, which is none itself: what is
// put into a sandbox's place after it was checked cannot lead outside.
func OpenBelow(base, path string) (Dir, error) {
	d, err := Open(base, NoFollow)
	for _, name := range strings.Split(strings.Trim(strings.TrimPrefix(path, base), separator), separator) {
		if err != nil || name == "" {
			return d, err
		}
		var next Dir
		next, err = d.OpenDir(name)
		err = errors.Join(err, d.Close())
		d = next
	}
	return d, err
}

const separator = string(filepath.Separator)

func (d Dir) Err(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: say.Name(filepath.Join(d.Path, name)), Err: err}
}

// Entries returns what the directory holds, by name: the type bits of each.
func (d Dir) Entries() (map[string]fs.FileMode, error) {
	list, err := d.list()
	if err != nil {
		return nil, d.Err("list", "", sys.Errno(err))
	}
	byName := make(map[string]fs.FileMode, len(list))
	for _, e := range list {
		byName[e.Name()] = d.typeOf(e)
	}
	return byName, nil
}

// OpenFile opens a regular file for reading, and never waits. A FIFO is not even opened, which its writer would see.
func (d Dir) OpenFile(name string) (f *os.File, err error) {
	if i, err := d.Stat(name); err != nil || !i.IsRegular() {
		return nil, cmp.Or(err, Unsafe("%s: is not a regular file", filepath.Join(d.Path, name)))
	}
	err = briefly(func() error {
		f, err = d.root.OpenFile(name, os.O_RDONLY|sys.O_NONBLOCK, 0)
		return sys.Errno(err)
	})
	return f, d.Err("open", name, err)
}

// Stat is the identity of an entry, with the fields that a write changes.
type Stat struct {
	mode         uint32 // type and permissions; 0: there is no such entry
	Dev, Ino     uint64
	Size         int64
	Mtime, Ctime sys.Timespec
}

// StatOf returns the Stat for a result of stat(2).
func StatOf(st *sys.Stat_t) Stat {
	return Stat{uint32(st.Mode), uint64(st.Dev), st.Ino, st.Size, st.Mtim, st.Ctim}
}

func (i Stat) Exists() bool { return i.mode != 0 }

func (i Stat) Type() uint32 { return i.mode & sys.S_IFMT }

func (i Stat) IsLink() bool { return i.Type() == sys.S_IFLNK }

func (i Stat) IsDir() bool { return i.Type() == sys.S_IFDIR }

func (i Stat) IsRegular() bool { return i.Type() == sys.S_IFREG }

// Movable reports whether an entry of this kind has contents that can be moved; a socket, FIFO or device has not.
func (i Stat) Movable() bool { return i.IsRegular() || i.IsDir() || i.IsLink() }

// Same reports whether both are one file, whatever was written to it between.
func (i Stat) Same(other Stat) bool {
	return i.Exists() && i.Dev == other.Dev && i.Ino == other.Ino && i.Type() == other.Type()
}

// Mkdir makes a directory, owner-only whatever the umask; one that is there already is no error.
func (d Dir) Mkdir(name string) error {
	err := d.root.Mkdir(name, 0o700)
	if err == nil {
		err = d.root.Chmod(name, 0o700)
	}
	return d.Err("mkdir", name, Ignore(sys.Errno(err), sys.EEXIST))
}

// Symlink makes a link, on Windows a junction to a directory; one that is there already, whatever it is, stays and is no error: the next
// look judges it.
func (d Dir) Symlink(target, name string) error {
	return d.Err("symlink", name, Ignore(d.symlink(target, name), sys.EEXIST))
}

// Unlink removes an entry that is no directory; one that is gone already is no error. Of a link it leaves what that leads to.
func (d Dir) Unlink(name string) error {
	return d.Err("unlink", name, Ignore(d.unlink(name), sys.ENOENT))
}

// Rmdir removes an empty directory.
func (d Dir) Rmdir(name string) error { return d.Err("rmdir", name, d.rmdir(name)) }

// Move renames an entry to a name that is free, or that is a second one of the same file: a killed run may have made it. The error is the
// bare errno, EEXIST where another entry has the name.
func (d Dir) Move(name string, to Dir, toName string) error {
	err := d.unlocked(name, func() error { return d.moveNew(name, to, toName) })
	mine, _ := d.Stat(name) // an entry that cannot be seen is another one
	there, _ := to.Stat(toName)
	if errors.Is(err, sys.EEXIST) && mine.Same(there) {
		return d.Unlink(name)
	}
	return err
}

// unlocked calls rename for an entry of d. A directory that may not be written, as those of Go's module cache, may be while it is renamed:
// its .. changes.
func (d Dir) unlocked(name string, rename func() error) error {
	err := rename()
	i, _ := d.Stat(name) // the mode of an entry that cannot be seen stays
	if !errors.Is(err, fs.ErrPermission) || !i.IsDir() || i.mode&0o200 != 0 {
		return err
	}
	info, statErr := d.root.Lstat(name)
	if statErr != nil || d.root.Chmod(name, info.Mode()|0o600) != nil {
		return err
	}
	f, _ := d.root.Open(name) // it may move; where it cannot be opened it stays so
	defer f.Close()
	err = rename()
	_ = f.Chmod(info.Mode())
	return err
}

// noSuchRename reports whether the kernel or the file system does not know a rename with flags.
func noSuchRename(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, sys.EINVAL)
}

// exchangeInSteps swaps two entries where the file system has no such call, see [Dir.Exchange]: the other one itself is renamed to d,
// whatever it is by then, and ours gets its name without replacing what another program puts there in between. For a moment the name
// is missing.
func (d Dir) exchangeInSteps(name string, to Dir, toName string) error {
	ours := TempName()
	err := d.Move(name, d, ours)
	if err != nil {
		return err
	}
	if err = to.Take(toName, d, name); err == nil {
		if err = d.Move(ours, to, toName); err == nil {
			return nil
		}
		if back := d.Move(name, to, toName); back != nil { // the other one stays in d
			return errors.Join(err, Ignore(back, sys.EEXIST), d.Unlink(ours))
		}
	}
	return errors.Join(err, d.Move(ours, d, name))
}
