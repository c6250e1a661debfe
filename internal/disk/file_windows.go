package disk

import (
	"os"

	"golang.org/x/sys/windows"

	"swop/internal/disk/sys"
)

const Exe = ".exe"

func mayRun(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// openToRead waits for a moment while another program keeps others out.
func openToRead(path string, flags int) (fd int, err error) {
	if flags&sys.O_NOFOLLOW != 0 && At(path).IsLink() {
		return -1, sys.ELOOP
	}
	err = briefly(func() error {
		h, err := sys.OpenFile(path, windows.GENERIC_READ, windows.OPEN_EXISTING, 0)
		fd = int(h)
		return err
	})
	return fd, err
}

// Mounted refuses what is in use: there are no mount points.
func Mounted(path string) error {
	return Unsafe("%s: is in use by another program, left as it is", path)
}

// MakeDir makes dir, which inherits who may use it. The error wraps fs.ErrExist if something is there already.
func MakeDir(dir string) error {
	return Dir{Path: dir}.Err("mkdir", "", sys.Errno(os.Mkdir(dir, 0o700)))
}

// CloseDir does nothing: who may use a directory is inherited.
func CloseDir(string) error { return nil }

// Narrow does nothing: a file in the user's profile is the user's alone.
func (Dir) Narrow(string) error { return nil }

// FileClock is the clock that file systems stamp with.
func FileClock() (sys.Timespec, error) {
	var now windows.Filetime
	windows.GetSystemTimeAsFileTime(&now)
	return windows.NsecToTimespec(now.Nanoseconds()), nil
}
