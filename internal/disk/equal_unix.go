//go:build unix

package disk

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/say"
)

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

// sameAttributes reports whether two files have the same extended attributes.
func sameAttributes(f, g *os.File) bool {
	a, err := extended(int(f.Fd()))
	b, err2 := extended(int(g.Fd()))
	return err == nil && err2 == nil && maps.EqualFunc(a, b, bytes.Equal)
}

const systemAttribute = "system."

func isACL(name string) bool { return strings.HasPrefix(name, systemAttribute+"posix_acl_") }

// extended returns the extended attributes of an open file, except those in which a file system shows what it has elsewhere, as NFS does its ACLs.
func extended(fd int) (map[string][]byte, error) {
	names, err := sized(func(buf []byte) (int, error) { return unix.Flistxattr(fd, buf) })
	if err != nil {
		return nil, Ignore(err, unix.ENOTSUP, unix.ENOSYS)
	}
	all := map[string][]byte{}
	for name := range strings.SplitSeq(string(names), "\x00") {
		if name == "" || strings.HasPrefix(name, systemAttribute) && !isACL(name) {
			continue
		}
		if all[name], err = sized(func(buf []byte) (int, error) { return unix.Fgetxattr(fd, name, buf) }); err != nil {
			return nil, fmt.Errorf("its attribute %s cannot be read: %v", say.Name(name), err)
		}
	}
	return all, nil
}

// sized returns what read reads, which says how much there is where it is given no room.
func sized(read func([]byte) (int, error)) ([]byte, error) {
	size, err := read(nil)
	if err != nil || size == 0 {
		return nil, err
	}
	buf := make([]byte, size)
	size, err = read(buf)
	return buf[:max(size, 0)], err
}
