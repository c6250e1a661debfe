package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// direntBuffer is how much of a long listing is read at once, in bytes: some 250 entries. It is a variable so that the buffer does not lie
// on the stack, which would have to grow.
var direntBuffer = 8 << 10

// rewind makes the next listing begin at the start.
func (d Dir) rewind() error {
	_, err := unix.Seek(d.Fd(), 0, 0)
	return d.Err("lseek", "", err)
}

// Each calls f for each entry that the directory holds, the first time: type and inode as the listing itself tells them (getdents(2)), with no call for
// each entry.
func (d Dir) Each(f func(name string, entry Entry) error) error {
	var few [320]byte // enough for what a start of codex lists, and for any one name; it may lie on the stack
	buf := few[:]
	for {
		n, err := RetryEINTR(func() (int, error) { return unix.Getdents(d.Fd(), buf) })
		if err != nil {
			return d.Err("getdents", "", err)
		}
		if n == 0 {
			return nil
		}
		if err := d.eachIn(buf[:n], f); err != nil {
			return err
		}
		if n > len(few)/2 && len(buf) < direntBuffer {
			buf = make([]byte, direntBuffer)
		}
	}
}

// Where struct linux_dirent64 has its fields (getdents(2)): d_ino, d_off, d_reclen, d_type, d_name.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

func (d Dir) eachIn(buf []byte, f func(string, Entry) error) error {
	for len(buf) > direntName {
		size := int(binary.NativeEndian.Uint16(buf[direntLength:]))
		if size <= direntName || size > len(buf) {
			return d.Err("getdents", "", unix.EIO)
		}
		name, _, _ := bytes.Cut(buf[direntName:size], []byte{0})
		if s := string(name); s != "." && s != ".." {
			entry := Entry{modeOf(uint32(buf[direntType]) << 12), binary.NativeEndian.Uint64(buf)} // DTTOIF(3)
			if buf[direntType] == unix.DT_UNKNOWN {                                                // some file systems do not tell
				i, err := d.Stat(s)
				if err != nil {
					return err
				}
				entry.Mode = modeOf(i.Type())
			}
			if err := f(s, entry); err != nil {
				return err
			}
		}
		buf = buf[size:]
	}
	return nil
}

// modeOf returns a type of stat(2) in the form of a listing.
func modeOf(kind uint32) fs.FileMode {
	switch kind {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

// Enter opens the directory called name for its removal; a mode that locks its owner out is changed. If it is no directory any
// more the error is [ErrChanged]. A mount point is refused, before anything is done to it. A device number would not tell: that of a bind
// mount is that of its source.
func (d Dir) Enter(name string) (Dir, error) {
	place, err := unix.Openat(d.Fd(), name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ENOENT):
		return Dir{}, ErrChanged
	case err != nil:
		return Dir{}, d.Err("open", name, err)
	}
	defer unix.Close(place)
	here, err := mountOf(d.Fd())
	there, err2 := mountOf(place)
	switch err := errors.Join(err, err2); {
	case err != nil:
		return Dir{}, d.Err("open", name, err)
	case here != there:
		return Dir{}, d.Mounted(name)
	}
	return d.enterPlace(name, place)
}

// mountOf returns the number of the mount that an open file is on: from statx(2), before Linux 5.8 from proc_pid_fdinfo(5).
func mountOf(fd int) (string, error) {
	var st unix.Statx_t
	if unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st) == nil && st.Mask&unix.STATX_MNT_ID != 0 {
		return strconv.FormatUint(st.Mnt_id, 10), nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(text), "mnt_id:")
	id, _, ended := strings.Cut(rest, "\n")
	if !ok || !ended {
		return "", errors.New("the kernel cannot list mounts")
	}
	return strings.TrimSpace(id), nil
}

// enterPlace opens for reading what place is a reference to.
func (d Dir) enterPlace(name string, place int) (Dir, error) {
	var here, there unix.Stat_t
	if err := errors.Join(unix.Fstat(d.Fd(), &here), unix.Fstat(place, &there)); err != nil {
		return Dir{}, d.Err("stat", name, err)
	}
	if here.Dev != there.Dev {
		return Dir{}, d.Mounted(name) // a subvolume, which has no mount of its own
	}
	if there.Mode&0o700 != 0o700 {
		if err := chmodPlace(place, 0o700); err != nil {
			return Dir{}, d.Err("chmod", name, err)
		}
	}
	fd, err := unix.Openat(place, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return Dir{}, d.Err("open", name, err)
	}
	return Dir{filepath.Join(d.Path, name), fd}, nil
}

// chmodPlace changes the mode of what an O_PATH descriptor refers to: before Linux 6.6 no call does.
func chmodPlace(place int, mode uint32) error {
	return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", place), mode)
}

// OwnDir makes the directory called name, which was just made, accessible to its owner alone, whatever the umask was. What has taken
// its place meanwhile is not touched.
func (d Dir) OwnDir(name string) error {
	place, err := unix.Openat(d.Fd(), name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return Ignore(err, unix.ELOOP, unix.ENOTDIR, unix.ENOENT)
	}
	defer unix.Close(place)
	var st unix.Stat_t
	if err := unix.Fstat(place, &st); err != nil || st.Mode&0o777 == 0o700 {
		return err
	}
	return chmodPlace(place, 0o700)
}

func renameNoReplace(fd int, name string, toFd int, toName string) error {
	return unix.Renameat2(fd, name, toFd, toName, unix.RENAME_NOREPLACE)
}

func renameExchange(fd int, name string, toFd int, toName string) error {
	return unix.Renameat2(fd, name, toFd, toName, unix.RENAME_EXCHANGE)
}

// FileClock is the clock of the kernel's file time stamps (current_time in fs/inode.c).
func FileClock() (unix.Timespec, error) {
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now)
	return now, err
}

// Unopened reports whether no process of anybody has the file called name open or mapped, and whether the kernel tells: it does of the user's
// own files on most local file systems. It asks for a lease, which is only given on such a file (fcntl(2), F_SETLEASE), and gives it back.
// NFS refuses a lease on any file, with the error of one that is open: so a refusal counts only where a file that nobody can have open gets one.
func (d Dir) Unopened(name string) (unopened, known bool) {
	fd, err := unix.Openat(d.Fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, false
	}
	defer unix.Close(fd)
	if err = lease(fd); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_UNLCK)
		return err == nil, err == nil
	}
	return false, errors.Is(err, unix.EAGAIN) && d.Local()
}

// lease takes a lease on an open file, which ends when the file is closed.
func lease(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_WRLCK)
	return err
}

// Local reports whether this kernel knows of every program that has a file of this file system open: whether it gives a lease on a file without a
// name. One that cannot make such a file, as NFS, counts as one that does not.
func (d Dir) Local() bool {
	fd, err := unix.Openat(d.Fd(), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return lease(fd) == nil
}

// RealPath returns the path of what path leads to, without links: one system call instead of one for each component.
func RealPath(path string) (string, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	name := make([]byte, unix.PathMax)
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), name)
	return string(name[:max(n, 0)]), err
}

// OpenPlace opens a directory, which need not be readable, to do something to it or in it. No link is followed on the way there.
func OpenPlace(dir string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	return unix.Openat2(unix.AT_FDCWD, dir, &how)
}
