//go:build unix

package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

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

// own makes a directory that was just made accessible to its owner alone: a default ACL may have made it with less.
func (d Dir) own() error { return d.Err("chmod", "", unix.Fchmod(d.Fd(), 0o700)) }

// takeAttributes gives the directory the attributes of in, which is called name.
func (d Dir) takeAttributes(name string, in Dir) error { return copyAttributes(name, in.Fd(), d.Fd()) }

func (d Dir) mkdir(name string) error { return unix.Mkdirat(d.Fd(), name, 0o700) }

func (d Dir) setTimes(name string, i Stat) error {
	err := unix.UtimesNanoAt(d.Fd(), name, []unix.Timespec{i.Mtime, i.Mtime}, unix.AT_SYMLINK_NOFOLLOW)
	return d.Err("utimes", name, err)
}

// open opens a file for reading. A FIFO that was put in its place does not make it wait.
func (d Dir) open(name string) (*os.File, error) {
	fd, err := unix.Openat(d.Fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, d.Err("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.Path, name)), nil
}

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
