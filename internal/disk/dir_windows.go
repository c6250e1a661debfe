package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"

	"swop/internal/disk/sys"
)

// Each function here does what its namesake in dir_unix.go or file_unix.go does. The comments say what is different.

// Sync and SyncDir do nothing: NTFS has a journal of its directories.
func (Dir) Sync() error    { return nil }
func SyncDir(string) error { return nil }

func (d Dir) list() ([]fs.DirEntry, error) { return os.ReadDir(d.Path) }

// typeOf returns the type of an entry: a junction is a link, and what OneDrive keeps elsewhere is irregular, too.
func (d Dir) typeOf(e fs.DirEntry) fs.FileMode {
	if _, link := sys.JunctionTarget(filepath.Join(d.Path, e.Name())); link {
		return fs.ModeSymlink
	}
	return e.Type() & fs.ModeDir
}

// mountPoints returns nil: what is mounted in a directory is a junction.
func mountPoints() ([]string, error) { return nil, nil }

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

func (d Dir) Link(name string, to Dir, toName string) error {
	return sys.Errno(os.Link(filepath.Join(d.Path, name), filepath.Join(to.Path, toName)))
}

func (d Dir) Take(name string, to Dir, toName string) error { return d.Move(name, to, toName) }

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

// briefly calls f again, for a second, while another program has the file open in a way that keeps others out, as virus scanners do.
func briefly(f func() error) error {
	return Briefly(time.Second, func() (again bool, err error) {
		err = f()
		return errors.Is(err, sys.EBUSY) || errors.Is(err, fs.ErrPermission), err
	})
}

// Unopened reports whether no process has the file called name open, and whether that is known: it can be opened so that nobody else can.
func (d Dir) Unopened(name string) (unopened, known bool) {
	path, err := windows.UTF16PtrFromString(filepath.Join(d.Path, name))
	if err != nil {
		return false, false
	}
	h, err := windows.CreateFile(path, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err == nil {
		err = windows.CloseHandle(h)
	}
	return err == nil, err == nil || errors.Is(sys.Errno(err), sys.EBUSY)
}
