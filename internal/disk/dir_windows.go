package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"swop/internal/disk/sys"
)

// Each function here does what its namesake in dir_unix.go or file_unix.go does. The comments say what is different.

// Dir is an open directory. What its methods change they change below an [os.Root]: what another process puts in the way cannot lead outside. A
// junction counts as a link.
type Dir struct {
	Path string
	root *os.Root
}

func Open(path string, follow LinkPolicy) (Dir, error) {
	path = WithoutSlash(path)
	return openRoot(path, follow, func() (*os.Root, error) { return os.OpenRoot(path) })
}

func (d Dir) OpenDir(name string) (Dir, error) {
	return openRoot(filepath.Join(d.Path, name), NoFollow, func() (*os.Root, error) { return d.root.OpenRoot(name) })
}

func openRoot(path string, follow LinkPolicy, open func() (*os.Root, error)) (Dir, error) {
	i := At(path)
	if i.IsLink() && follow == NoFollow {
		return Dir{}, &fs.PathError{Op: "open", Path: path, Err: sys.ELOOP}
	}
	root, err := open()
	if err != nil && i.IsRegular() {
		err = sys.ENOTDIR
	}
	if err != nil {
		return Dir{}, &fs.PathError{Op: "open", Path: path, Err: sys.Errno(err)}
	}
	return Dir{path, root}, nil
}

func (d Dir) Close() error {
	if d.root == nil {
		return nil
	}
	return d.root.Close()
}

func (d Dir) Enter(name string) (Dir, error) {
	in, err := d.OpenDir(name)
	if errors.Is(err, sys.ELOOP) || errors.Is(err, sys.ENOTDIR) || errors.Is(err, sys.ENOENT) {
		return Dir{}, ErrChanged
	}
	return in, err
}

// Local reports true: a home on another machine is refused.
func (Dir) Local() bool { return true }

// Sync and SyncDir do nothing: NTFS has a journal of its directories.
func (Dir) Sync() error    { return nil }
func SyncDir(string) error { return nil }

func (Dir) rewind() error { return nil }

func (d Dir) Each(f func(name string, entry Entry) error) error {
	list, err := os.ReadDir(d.Path)
	if err != nil {
		return d.Err("list", "", sys.Errno(err))
	}
	for _, e := range list {
		entry := Entry{Mode: e.Type() & fs.ModeDir} // what OneDrive keeps elsewhere is irregular, too
		if _, link := sys.JunctionTarget(filepath.Join(d.Path, e.Name())); link {
			entry.Mode = fs.ModeSymlink
		}
		if err := f(e.Name(), entry); err != nil {
			return err
		}
	}
	return nil
}

func (d Dir) Stat(name string) (Stat, error) { return Lstat(filepath.Join(d.Path, name)) }

func (d Dir) Readlink(name string) (string, error) {
	target, _ := sys.JunctionTarget(filepath.Join(d.Path, name))
	return target, nil
}

func (d Dir) symlink(target, name string) error {
	return sys.MakeJunction(target, filepath.Join(d.Path, name))
}

func (d Dir) unlink(name string) error {
	path := filepath.Join(d.Path, name)
	return briefly(func() error {
		if _, link := sys.JunctionTarget(path); link {
			return sys.RemoveJunction(path)
		}
		if i, err := d.Stat(name); err == nil && i.IsDir() {
			return sys.EISDIR
		}
		return d.remove(name)
	})
}

func (d Dir) rmdir(name string) error { return briefly(func() error { return d.remove(name) }) }

// remove removes a file or an empty directory, by its path where the file system has no other way, as FAT and Wine.
func (d Dir) remove(name string) error {
	err := d.root.Remove(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(filepath.Join(d.Path, name))
	}
	return sys.Errno(err)
}

func (d Dir) mkdir(name string) error { return sys.Errno(d.root.Mkdir(name, 0o700)) }

func (d Dir) Link(name string, to Dir, toName string) error {
	return sys.Errno(os.Link(filepath.Join(d.Path, name), filepath.Join(to.Path, toName)))
}

func (d Dir) Replace(name string, to Dir, toName string) error {
	return to.Err("rename", toName, briefly(func() error {
		return sys.Errno(os.Rename(filepath.Join(d.Path, name), filepath.Join(to.Path, toName)))
	}))
}

// moveNew makes a junction again in its new place: where it is renamed by its path, as under Wine, what it leads to is moved.
func (d Dir) moveNew(name string, to Dir, toName string) error {
	if target, link := sys.JunctionTarget(filepath.Join(d.Path, name)); link {
		if err := to.Symlink(target, toName); err != nil {
			return err
		}
		return d.Unlink(name)
	}
	return briefly(func() error { return sys.Rename(filepath.Join(d.Path, name), filepath.Join(to.Path, toName)) })
}

// Exchange is not at once.
func (d Dir) Exchange(name string, to Dir, toName string) error {
	return d.exchangeInSteps(name, to, toName)
}

// ExchangeDirs fails: Windows cannot.
func ExchangeDirs(_, _ string) error { return errors.ErrUnsupported }

// briefly calls f again, for a second, while another program has the file open in a way that keeps others out, as virus scanners do.
func briefly(f func() error) error {
	return Briefly(time.Second, func() (again bool, err error) {
		err = f()
		return errors.Is(err, sys.EBUSY) || errors.Is(err, fs.ErrPermission), err
	})
}
