//go:build unix

package process

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// try takes the lock for itself for a moment: that fails while anyone holds it, shared or not.
func (l *lockProbe) try(f *os.File) error {
	err := unix.EINTR
	for errors.Is(err, unix.EINTR) {
		err, _ = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB).(unix.Errno)
	}
	switch err {
	case 0:
		// Closing f would not give it back while a child that was just forked has this descriptor, too.
		return os.NewSyscallError("flock", unix.Flock(int(f.Fd()), unix.LOCK_UN))
	case unix.EWOULDBLOCK:
		l.held = true
		return nil
	case unix.ENOLCK, unix.ENOTSUP, unix.ENOSYS, unix.EINVAL:
		l.unsupported = true
		return nil
	}
	return &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
}
