//go:build unix

package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

func (d Dir) create(name string) (*os.File, error) {
	fd, err := unix.Openat(d.Fd(), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, d.Err("open", name, err)
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.Path, name)), nil
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

// takeAttributes gives the directory the attributes of in, which is called name.
func (d Dir) takeAttributes(name string, in Dir) error { return copyAttributes(name, in.Fd(), d.Fd()) }

func (d Dir) setTime(name string, at time.Time) error {
	when, err := unix.TimeToTimespec(at)
	if err == nil {
		err = unix.UtimesNanoAt(d.Fd(), name, []unix.Timespec{when, when}, unix.AT_SYMLINK_NOFOLLOW)
	}
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
