//go:build unix

package disk

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/internal/disk/sys"
)

// mayRun reports whether file is a regular file that this user may execute.
func mayRun(file string) bool {
	var st unix.Stat_t
	return unix.Stat(file, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && unix.Access(file, unix.X_OK) == nil
}

func openToRead(path string, flags int) (int, error) {
	return unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|flags, 0)
}

// FileClock is the time by the clock that file systems stamp with.
func FileClock() (now unix.Timespec, err error) {
	err = unix.ClockGettime(fileClock, &now)
	return now, err
}

// Exe ends the names of programs.
const Exe = ""

// SyncDir makes the entries of dir durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MakeDir makes dir, 0700 whatever the umask. The error wraps fs.ErrExist if something is there already.
func MakeDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return CloseDir(dir)
}

// CloseDir makes a directory accessible to its owner, and to nobody else. No link leads it out of the directory above: whatever is put in
// the place of dir meanwhile.
func CloseDir(dir string) error {
	top, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	return errors.Join(Dir{Path: dir}.Err("chmod", "", sys.Errno(top.Chmod(filepath.Base(dir), 0o700))), top.Close())
}
