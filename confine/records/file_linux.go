package records

import (
	"errors"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/disk"
)

// isTranscript reports whether codex names a transcript so: rollout-TIME-ID.jsonl.
func isTranscript(name string) bool {
	middle, begins := strings.CutPrefix(name, "rollout-")
	middle, ends := strings.CutSuffix(middle, ".jsonl")
	return begins && ends && middle != "" && len(name) <= 128 && strings.Trim(middle, "0123456789-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

func isNumber(name string, digits int) bool {
	return len(name) == digits && strings.Trim(name, "0123456789") == ""
}

// openPlace opens a directory of the shared ones, which is made if it is missing. No link is followed but the one at their top, which is the user's own.
func openPlace(top, path string) (disk.Dir, error) {
	d, err := disk.Open(top, disk.Follow)
	for _, name := range strings.Split(path, "/") {
		if err == nil {
			d, err = d.MakeAndOpen(name)
		}
	}
	if errors.Is(err, disk.ErrUnsafe) {
		err = refusal("the shared transcripts have no such directory")
	}
	return d, err
}

// openRegular opens a regular file of the user's, and returns its size. It follows no link and does not wait, as a FIFO would make it.
func openRegular(d disk.Dir, name string, flags int) (f *os.File, size int64, err error) {
	fd, err := disk.RetryEINTR(func() (int, error) {
		return unix.Openat(d.Fd(), name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0o600)
	})
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, 0, refusal("a link")
	case (errors.Is(err, unix.ENXIO) || errors.Is(err, unix.EACCES)) && isRemoved(d, name): // its mode is 0
		return nil, 0, errRemoved
	case errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV), errors.Is(err, unix.EISDIR):
		return nil, 0, refusal("not a regular file")
	case err != nil:
		return nil, 0, d.Err("open", name, err)
	}
	f = os.NewFile(uintptr(fd), d.Path+"/"+name)
	var st unix.Stat_t
	switch err = unix.Fstat(fd, &st); {
	case err != nil:
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		err = refusal("not a regular file")
	case int(st.Uid) != os.Geteuid():
		err = refusal("another user's")
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, 0, err
	}
	return f, st.Size, nil
}

const errRemoved = refusal("removed in the session; the shared one stays")

// isRemoved reports whether the entry says that the session removed what the shared directory has (the kernel's Documentation/filesystems/overlayfs.rst).
func isRemoved(d disk.Dir, name string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(d.Fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && st.Rdev == 0
}

// alone tries so often, with pauses, until no other program has the file open. Then others wait until it is closed (fcntl(2), F_SETLEASE), so that their lines
// and ours do not mix. A file system that cannot tell is no obstacle.
func alone(f *os.File, d disk.Dir, tries int) error {
	const pause = 10 * time.Millisecond
	for range tries {
		if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); !errors.Is(err, unix.EAGAIN) || !d.Local() {
			return nil
		}
		time.Sleep(pause)
	}
	return refusal("another program has the shared one open")
}
