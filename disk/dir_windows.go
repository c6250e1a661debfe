package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"swop/disk/sys"
)

// Dir is an open directory. Its methods take the name of an entry, a single component. What they change they change below an [os.Root]: what
// another process puts in the way cannot lead outside. A junction counts as a link.
type Dir struct {
	Path string
	root *os.Root
}

// Open opens the directory at path. A junction at its last component is followed only where follow says so.
func Open(path string, follow LinkPolicy) (Dir, error) {
	path = WithoutSlash(path)
	if _, link := sys.JunctionTarget(path); link && follow == NoFollow {
		return Dir{}, &fs.PathError{Op: "open", Path: path, Err: sys.ELOOP}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return Dir{}, &fs.PathError{Op: "open", Path: path, Err: sys.Errno(err)}
	}
	return Dir{path, root}, nil
}

// WithoutSlash returns path without separators at its end.
func WithoutSlash(path string) string {
	if len(path) > len(filepath.VolumeName(path))+1 {
		return strings.TrimRight(path, `\/`)
	}
	return path
}

// OpenDir opens the directory called name in d.
func (d Dir) OpenDir(name string) (Dir, error) {
	path := filepath.Join(d.Path, name)
	if _, link := sys.JunctionTarget(path); link {
		return Dir{}, d.Err("open", name, sys.ELOOP)
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		if i, e := d.Stat(name); e == nil && i.Exists() && !i.IsDir() {
			err = sys.ENOTDIR
		}
		return Dir{}, d.Err("open", name, sys.Errno(err))
	}
	return Dir{path, root}, nil
}

func (d Dir) Close() error {
	if d.root == nil {
		return nil
	}
	return d.root.Close()
}

// Enter opens the directory called name for its removal. If it is no directory any more the error is [ErrChanged].
func (d Dir) Enter(name string) (Dir, error) {
	in, err := d.OpenDir(name)
	if errors.Is(err, sys.ELOOP) || errors.Is(err, sys.ENOTDIR) || errors.Is(err, sys.ENOENT) {
		return Dir{}, ErrChanged
	}
	return in, err
}

// Local reports true: a home on another machine is refused.
func (Dir) Local() bool { return true }

// Sync does nothing: NTFS has a journal of its directories.
func (d Dir) Sync() error { return nil }

// Entries returns what the directory holds, by name.
func (d Dir) Entries() (map[string]Entry, error) {
	list, err := os.ReadDir(d.Path)
	if err != nil {
		return nil, d.Err("list", "", sys.Errno(err))
	}
	byName := map[string]Entry{}
	for _, e := range list {
		byName[e.Name()] = Entry{Mode: e.Type()}
		if _, link := sys.JunctionTarget(filepath.Join(d.Path, e.Name())); link {
			byName[e.Name()] = Entry{Mode: fs.ModeSymlink}
		}
	}
	return byName, nil
}

// Each calls f for each entry, up to the first error.
func (d Dir) Each(f func(name string, entry Entry) error) error {
	entries, err := d.Entries()
	for name, entry := range entries {
		if err == nil {
			err = f(name, entry)
		}
	}
	return err
}

// Stat returns the entry called name; one that is not there is not an error.
func (d Dir) Stat(name string) (Stat, error) { return Lstat(filepath.Join(d.Path, name)) }

// Readlink returns the target of the junction called name, "" if there is none.
func (d Dir) Readlink(name string) (string, error) {
	target, _ := sys.JunctionTarget(filepath.Join(d.Path, name))
	return target, nil
}

// Symlink makes a junction to a directory; an entry that is there already, whatever it is, stays and is no error.
func (d Dir) Symlink(target, name string) error {
	return d.Err("link", name, Ignore(sys.MakeJunction(target, filepath.Join(d.Path, name)), sys.EEXIST))
}

// Unlink removes an entry that is no directory; one that is gone already is no error. Of a junction it leaves what that leads to.
func (d Dir) Unlink(name string) error {
	path := filepath.Join(d.Path, name)
	err := briefly(func() error {
		if _, link := sys.JunctionTarget(path); link {
			return sys.RemoveJunction(path)
		}
		if i, err := d.Stat(name); err == nil && i.IsDir() {
			return fs.ErrInvalid
		}
		return d.remove(name)
	})
	return d.Err("remove", name, Ignore(err, sys.ENOENT))
}

// Rmdir removes an empty directory.
func (d Dir) Rmdir(name string) error {
	return d.Err("rmdir", name, briefly(func() error { return d.remove(name) }))
}

// remove removes a file or an empty directory, by its path where the file system has no other way, as FAT and Wine.
func (d Dir) remove(name string) error {
	err := d.root.Remove(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(filepath.Join(d.Path, name))
	}
	return sys.Errno(err)
}

// Mkdir makes a directory; one that is there already is no error. Its ACL is that of the directories above it: swop's root is protected.
func (d Dir) Mkdir(name string) error {
	return d.Err("mkdir", name, Ignore(sys.Errno(d.root.Mkdir(name, 0o700)), sys.EEXIST))
}

// Link gives the file called name a second name. The error is the bare errno, for the caller to judge.
func (d Dir) Link(name string, to Dir, toName string) error {
	return sys.Errno(os.Link(filepath.Join(d.Path, name), filepath.Join(to.Path, toName)))
}

// Replace renames over what is there.
func (d Dir) Replace(name string, to Dir, toName string) error {
	return to.Err("rename", toName, briefly(func() error {
		return sys.Errno(os.Rename(filepath.Join(d.Path, name), filepath.Join(to.Path, toName)))
	}))
}

// Move renames an entry to a name that is free, or that is a second one of the same file: a killed run may have made it. The error is the bare
// errno, EEXIST where another entry has the name.
func (d Dir) Move(name string, to Dir, toName string) error {
	from, path := filepath.Join(d.Path, name), filepath.Join(to.Path, toName)
	err := briefly(func() error { return sys.Rename(from, path) })
	if errors.Is(err, sys.EEXIST) && d.sameFile(name, to, toName) {
		return d.Unlink(name)
	}
	return err
}

// Exchange swaps two entries, by three renames: killed between them, d is left with the entry of to under a name of its own.
func (d Dir) Exchange(name string, to Dir, toName string) error {
	out := RandomName()
	if err := to.Move(toName, d, out); err != nil {
		return err
	}
	if err := d.Move(name, to, toName); err != nil {
		return Undone(err, d.Move(out, to, toName))
	}
	return d.Move(out, d, name)
}

// ExchangeDirs fails: Windows cannot.
func ExchangeDirs(_, _ string) error { return errors.ErrUnsupported }

// NoSuchRename reports whether the system does not know a rename like this.
func NoSuchRename(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

// briefly calls f again, for a second, while another program has the file open in a way that keeps others out, as virus scanners do.
func briefly(f func() error) error {
	const pause, most = 20 * time.Millisecond, 50
	for range most {
		if err := f(); !errors.Is(err, sys.EBUSY) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		time.Sleep(pause)
	}
	return f()
}
