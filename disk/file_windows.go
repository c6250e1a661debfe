package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"

	"swop/disk/sys"
)

const Exe = ".exe"

func mayRun(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// CheckDescriptors returns nil: Windows has no low limit on open files.
func CheckDescriptors() error { return nil }

// RetryEINTR calls f once: no call is interrupted.
func RetryEINTR[T any](f func() (T, error)) (T, error) { return f() }

type FileStat = sys.Stat_t

func ReadFileStat(path string, flags int, most int64, st *FileStat) (string, error) {
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
	if err := sys.Fstat(int(f.Fd()), st); err != nil || st.Mode&sys.S_IFMT != sys.S_IFREG {
		return "", errors.Join(err, fmt.Errorf("%s: not a regular file", path))
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s: larger than %d bytes", path, most)
	}
	return string(text), err
}

func (d Dir) WriteNew(name string, text []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return d.Err("open", name, sys.Errno(err))
	}
	return d.Err("write", name, Fill(f, text))
}

func (d Dir) Touch(name string, at time.Time) {
	_ = d.root.Chtimes(name, at, at)
}

// CopyFile copies a file, with the time at which it was written.
func CopyFile(from Dir, name string, i Stat, to Dir, toName string) error {
	text, err := from.root.ReadFile(name)
	if err == nil {
		err = to.WriteNew(toName, text)
	}
	return errors.Join(err, to.setTimes(toName, i))
}

func (d Dir) setTimes(name string, i Stat) error {
	d.Touch(name, time.Unix(i.Mtime.Unix()))
	return nil
}

// A copy gets the ACL of the directory that it is made in.
func (Dir) own() error                       { return nil }
func (Dir) takeAttributes(string, Dir) error { return nil }
func sameAttributes(_, _ *os.File) bool      { return true }
func (d Dir) open(name string) (*os.File, error) {
	var f *os.File
	err := briefly(func() (err error) {
		f, err = d.root.Open(name)
		return sys.Errno(err)
	})
	return f, d.Err("open", name, err)
}

// Mounted refuses what is in use: there are no mount points.
func (d Dir) Mounted(name string) error {
	return Unsafe("%s: is in use by another program, left as it is", filepath.Join(d.Path, name))
}

func RealPath(path string) (string, error) { return filepath.EvalSymlinks(path) }

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
func MakeDir(dir string) error { return Dir{Path: dir}.Err("mkdir", "", sys.MakeDir(dir)) }

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
