package disk

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// mountPoints returns where anything is mounted, from proc_pid_mountinfo(5).
func mountPoints() (list []string, err error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			list = append(list, strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4]))
		}
	}
	return list, err
}

func renameNoReplace(fd int, name string, toFd int, toName string) error {
	return unix.Renameat2(fd, name, toFd, toName, unix.RENAME_NOREPLACE)
}

func renameExchange(fd int, name string, toFd int, toName string) error {
	return unix.Renameat2(fd, name, toFd, toName, unix.RENAME_EXCHANGE)
}

// fileClock is the clock of the kernel's file time stamps (current_time in fs/inode.c).
const fileClock = unix.CLOCK_REALTIME_COARSE

// Unopened reports whether no process of anybody has the file called name open or mapped, and whether the kernel tells: it does of the
// user's own files on most local file systems. It asks for a lease, which is only given on such a file (fcntl(2), F_SETLEASE), and gives it
// back. NFS refuses a lease on any file, with the error of one that is open: so a refusal counts only where a file that nobody can have
// open gets one.
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

// Local reports whether this kernel knows of every program that has a file of this file system open: whether it gives a lease on a file
// without a name. One that cannot make such a file, as NFS, counts as one that does not.
func (d Dir) Local() bool {
	fd, err := unix.Openat(d.Fd(), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return lease(fd) == nil
}
