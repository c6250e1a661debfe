//go:build unix

package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// CopyEntry copies a file, link or directory tree with modes, times, ACLs and other extended attributes, and syncs the copy. What cannot be
// copied so, as a socket in a directory, is an error that says what it is. One that is gone is none.
func CopyEntry(from Dir, name string, i Stat, to Dir, toName string) error {
	switch {
	case !i.Exists():
		return nil
	case i.IsLink():
		target, err := from.Readlink(name)
		if err != nil {
			return err
		}
		if target == "" {
			return ErrChanged
		}
		if err := unix.Symlinkat(target, to.Fd(), toName); err != nil {
			return to.Err("symlink", toName, err)
		}
		return to.setTimes(toName, i)
	case i.IsRegular():
		return CopyFile(from, name, i, to, toName)
	case i.IsDir():
		return copyDir(from, name, i, to, toName)
	}
	return notCopied(name, errSpecial)
}

var errSpecial = errors.New("it is a socket, FIFO or device")

// ErrNotCopied is the kind of the errors about what a copy would not have.
var ErrNotCopied = errors.New("cannot be copied to another file system")

// notCopied says why a copy would not be like the entry called name.
func notCopied(name string, why error) error { return fmt.Errorf("%q %w: %v", name, ErrNotCopied, why) }

// CopyFile copies a regular file as [CopyEntry] does.
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
		err = copyAttributes(name, int(in.Fd()), fd) // last: writing removes some
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

// Touch sets the time at which an entry was written. What does not let us keeps its time.
func (d Dir) Touch(name string, at time.Time) {
	when := unix.NsecToTimespec(at.UnixNano())
	_ = unix.UtimesNanoAt(d.Fd(), name, []unix.Timespec{when, when}, unix.AT_SYMLINK_NOFOLLOW)
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
	if err := unix.Fchmod(out.Fd(), 0o700); err != nil { // a default ACL may have made it with less
		return to.Err("chmod", toName, err)
	}
	entries, err := in.Entries()
	if err != nil {
		return err
	}
	for child, entry := range entries { // before much is copied in vain
		if entry.Mode&fs.ModeIrregular != 0 {
			return notCopied(child, errSpecial)
		}
	}
	for _, child := range slices.Sorted(maps.Keys(entries)) {
		c, err := in.Stat(child)
		if err != nil {
			return err
		}
		if err := CopyEntry(in, child, c, out, child); err != nil {
			return err
		}
	}
	if err := copyAttributes(name, in.Fd(), out.Fd()); err != nil {
		return err
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

// EqualFiles reports whether two files have the same contents, ACLs and other extended attributes; one that may not be read equals none.
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
			return ended(err) && ended(err2) && sameAttributes(f, g), nil
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

// begin returns the first bytes of the file called name, none if it cannot be read, and whether there is such a file.
func (d Dir) begin(name string) (text string, there bool) {
	fd, err := unix.Openat(d.Fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", !slices.ContainsFunc([]error{unix.ENOENT, unix.ELOOP, unix.ENAMETOOLONG, unix.ENXIO}, func(e error) bool { return errors.Is(err, e) })
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return "", false
	}
	buf := make([]byte, 28)    // what SQLite zeroes of a journal that it is done with
	n, _ := unix.Read(fd, buf) // an error gives nothing
	return string(buf[:max(n, 0)]), true
}
