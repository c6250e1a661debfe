//go:build unix

package process

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// try records whether the lock is held, shared or not: it takes the lock for itself for a moment, which then fails.
func (l *lockProbe) try(f *os.File) error {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if err == 0 {
		// Closing f would not release it while a child that was just forked has this descriptor too.
		err = flock(f, unix.LOCK_UN)
	}
	switch err {
	case 0:
		return nil
	case unix.EWOULDBLOCK:
		l.held = true
		return nil
	case unix.ENOLCK, unix.ENOTSUP, unix.ENOSYS, unix.EINVAL:
		l.unsupported = true
		return nil
	}
	return &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
}

func flock(f *os.File, how int) unix.Errno {
	for {
		err, _ := unix.Flock(int(f.Fd()), how).(unix.Errno)
		if err != unix.EINTR {
			return err
		}
	}
}
