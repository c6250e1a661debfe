//go:build unix

package disk

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// CopyWhole copies an entry to a free name, complete or not at all.
func CopyWhole(from Dir, name string, i Stat, to Dir, toName string) error {
	tmp := CopyName()
	if err := CopyEntry(from, name, i, to, tmp); err != nil {
		return Undone(err, RemoveAll(to, tmp))
	}
	if err := to.Move(tmp, to, toName); err != nil {
		return Undone(to.Err("rename", toName, err), RemoveAll(to, tmp))
	}
	return to.Sync() // before the original goes, on another disk, whose own order of writing is another
}

// MoveByCopy moves an entry across file systems.
func MoveByCopy(from Dir, entry string, to Dir, name string) error {
	i, err := from.Stat(entry)
	if err != nil {
		return err
	}
	if err := CopyWhole(from, entry, i, to, name); err != nil {
		return err
	}
	return RemoveAll(from, entry)
}

// CopyEntry copies a file, link or directory tree with modes and times. Sockets and the like are left out. The copy is synced.
func CopyEntry(from Dir, name string, i Stat, to Dir, toName string) error {
	switch {
	case i.IsLink():
		target, err := from.Readlink(name)
		if err != nil {
			return err
		}
		if target == "" {
			return ErrChanged
		}
		return to.Err("symlink", toName, unix.Symlinkat(target, to.Fd(), toName))
	case i.IsRegular():
		return CopyFile(from, name, i, to, toName)
	case i.IsDir():
		return copyDir(from, name, i, to, toName)
	}
	return nil
}

// CopyFile copies a regular file with its mode and times. The copy is synced.
func CopyFile(from Dir, name string, i Stat, to Dir, toName string) error {
	in, err := from.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	fd, err := unix.Openat(to.Fd(), toName, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return to.Err("open", toName, err)
	}
	out := os.NewFile(uintptr(fd), filepath.Join(to.Path, toName))
	err = copyData(out, in)
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

// copyData copies what a file holds to an empty one. A hole stays one: a sparse file may be larger than the disk.
func copyData(out, in *os.File) error {
	end := int64(0)
	for {
		start, err := in.Seek(end, unix.SEEK_DATA)
		switch {
		case errors.Is(err, unix.ENXIO): // a hole up to the end, or the end
			info, err := in.Stat()
			if err != nil {
				return err
			}
			return out.Truncate(info.Size())
		case err != nil && end == 0: // a file system that knows no holes
			_, err = io.Copy(out, in)
			return err
		case err != nil:
			return err
		}
		if end, err = in.Seek(start, unix.SEEK_HOLE); err != nil {
			return err
		}
		if err := copyRange(out, in, start, end); err != nil {
			return err
		}
	}
}

// copyRange copies what is between two places. A file that was cut meanwhile has less there.
func copyRange(out, in *os.File, start, end int64) error {
	for _, f := range []*os.File{in, out} {
		if _, err := f.Seek(start, io.SeekStart); err != nil {
			return err
		}
	}
	_, err := io.CopyN(out, in, end-start)
	return Ignore(err, io.EOF)
}

func (d Dir) setTimes(name string, i Stat) error {
	err := unix.UtimesNanoAt(d.Fd(), name, []unix.Timespec{i.Mtime, i.Mtime}, unix.AT_SYMLINK_NOFOLLOW)
	return d.Err("utimes", name, err)
}

func copyDir(from Dir, name string, i Stat, to Dir, toName string) error {
	if err := unix.Mkdirat(to.Fd(), toName, 0o700); err != nil {
		return to.Err("mkdir", toName, err)
	}
	in, err := from.OpenDir(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.OpenDir(toName)
	if err != nil {
		return err
	}
	defer out.Close()
	names, err := in.Entries()
	if err != nil {
		return err
	}
	for _, child := range slices.Sorted(maps.Keys(names)) {
		c, err := in.Stat(child)
		if err != nil {
			return err
		}
		if err := CopyEntry(in, child, c, out, child); err != nil {
			return err
		}
	}
	if err := unix.Fchmod(out.Fd(), i.mode&0o777); err != nil {
		return out.Err("chmod", "", err)
	}
	return errors.Join(out.Sync(), to.setTimes(toName, i))
}

// open opens a file for reading. A FIFO that was put in its place does not make it wait.
func (d Dir) open(name string) (*os.File, error) {
	fd, err := unix.Openat(d.Fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, d.Err("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.Path, name)), nil
}

// EqualFiles reports whether two files have the same contents; one that may not be read equals none.
func EqualFiles(a Dir, aName string, b Dir, bName string) (bool, error) {
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
		return ErrChanged
	}
	return Changed(err)
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
