package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/windows"

	"swop/disk/sys"
)

// Exe ends the names of programs.
const Exe = ".exe"

func mayRun(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// CheckDescriptors returns nil: Windows has no low limit on open files.
func CheckDescriptors() error { return nil }

// RetryEINTR calls f: no call is interrupted here.
func RetryEINTR[T any](f func() (T, error)) (T, error) { return f() }

// ReadFile returns the contents of the regular file at path, of most bytes at most. With [sys.O_NOFOLLOW] in flags a link is refused with ELOOP.
func ReadFile(path string, flags int, most int64) (string, error) {
	info, err := os.Lstat(path)
	_, junction := sys.JunctionTarget(path)
	if flags&sys.O_NOFOLLOW != 0 && err == nil && (junction || info.Mode()&fs.ModeSymlink != 0) {
		return "", &fs.PathError{Op: "open", Path: path, Err: sys.ELOOP}
	}
	var f *os.File
	err = briefly(func() (err error) {
		f, err = os.Open(path)
		return sys.Errno(err)
	})
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, fmt.Errorf("%s: not a regular file", path))
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s: larger than %d bytes", path, most)
	}
	return string(text), err
}

// FileStat is what is known of a file.
type FileStat = sys.Stat_t

// ReadFileStat is [ReadFile] which puts into st what the file is.
func ReadFileStat(path string, flags int, most int64, st *FileStat) (string, error) {
	text, err := ReadFile(path, flags, most)
	if err == nil {
		err = sys.Stat(path, st)
	}
	return text, err
}

// WriteNew writes a file that must not be there yet.
func (d Dir) WriteNew(name string, text []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return d.Err("open", name, sys.Errno(err))
	}
	return d.Err("write", name, Fill(f, text))
}

// Touch sets the time at which an entry was written. What does not let us keeps its time.
func (d Dir) Touch(name string, at time.Time) {
	_ = d.root.Chtimes(name, at, at)
}

// EqualFiles reports whether two files have the same contents.
func EqualFiles(a Dir, aName string, b Dir, bName string) (bool, error) {
	x, err := a.root.ReadFile(aName)
	y, err2 := b.root.ReadFile(bName)
	return err == nil && err2 == nil && slices.Equal(x, y), Changed(sys.Errno(cmp.Or(err, err2)))
}

// CopyEntry copies a file, junction or directory tree, with the times of files.
func CopyEntry(from Dir, name string, i Stat, to Dir, toName string) error {
	switch {
	case i.IsLink():
		target, err := from.Readlink(name)
		if err != nil {
			return err
		}
		return to.Symlink(target, toName)
	case i.IsDir():
		return copyDir(from, name, to, toName)
	}
	text, err := from.root.ReadFile(name)
	if err == nil {
		err = to.WriteNew(toName, text)
	}
	if err == nil {
		to.Touch(toName, time.Unix(i.Mtime.Sec, i.Mtime.Nsec))
	}
	return err
}

func copyDir(from Dir, name string, to Dir, toName string) error {
	if err := to.Mkdir(toName); err != nil {
		return err
	}
	out, err := to.OpenDir(toName)
	if err != nil {
		return err
	}
	return errors.Join(from.eachIn(name, func(in Dir, child string, i Stat) error { return CopyEntry(in, child, i, out, child) }), out.Close())
}

// eachIn calls f for each entry of the directory called name, and goes on after an error.
func (d Dir) eachIn(name string, f func(in Dir, child string, i Stat) error) error {
	in, err := d.OpenDir(name)
	if err != nil {
		return err
	}
	entries, err := in.Entries()
	failed := []error{err}
	for child := range entries {
		i, err := in.Stat(child)
		if err == nil && i.Exists() {
			err = f(in, child, i)
		}
		failed = append(failed, err)
	}
	return errors.Join(append(failed, in.Close())...)
}

// RemoveAll removes the entry called name in d, which is ours, with all below it. One that is gone already is no error. No junction is followed.
// What cannot be removed is left, and named.
func RemoveAll(d Dir, name string) error {
	i, err := d.Stat(name)
	if err != nil || !i.Exists() {
		return err
	}
	if !i.IsDir() {
		return d.Unlink(name)
	}
	if err := d.eachIn(name, func(in Dir, child string, _ Stat) error { return RemoveAll(in, child) }); err != nil {
		return err
	}
	return Ignore(d.Rmdir(name), fs.ErrNotExist)
}

// Mounted refuses to touch what is in use.
func (d Dir) Mounted(name string) error {
	return Unsafe("%s: is in use by another program, left as it is", filepath.Join(d.Path, name))
}

// RealPath returns the path with its links resolved.
func RealPath(path string) (string, error) { return filepath.EvalSymlinks(path) }

// SyncDir does nothing: NTFS has a journal of its directories.
func SyncDir(string) error { return nil }

// begin returns the first bytes of the file called name, none if it cannot be read, and whether there is such a file.
func (d Dir) begin(name string) (text string, there bool) {
	f, err := d.root.Open(name)
	if err != nil {
		return "", !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	buf := make([]byte, 28) // what SQLite zeroes of a journal that it is done with
	n, _ := io.ReadFull(f, buf)
	return string(buf[:n]), true
}

// MakeDir makes dir for the user alone, from its first moment on. The error wraps fs.ErrExist if something is there already.
func MakeDir(dir string) error {
	if err := sys.MakeDir(dir); err != nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	return nil
}

// Narrow lets the user alone use a file.
func (d Dir) Narrow(name string) error {
	return d.Err("protect", name, sys.Protect(filepath.Join(d.Path, name)))
}

// Clock returns the time by the clock that file systems stamp with.
func Clock() time.Time {
	var now windows.Filetime
	windows.GetSystemTimeAsFileTime(&now)
	return time.Unix(0, now.Nanoseconds())
}
