//go:build unix

package disk

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"swop/internal/say"
)

// mayRun reports whether file is a regular file that this user may execute.
func mayRun(file string) bool {
	var st unix.Stat_t
	return unix.Stat(file, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && unix.Access(file, unix.X_OK) == nil
}

// fewDescriptors are enough to come to an error that can be told.
const fewDescriptors = 16

// CheckDescriptors returns an error where not even a few more files can be opened. Package os has a poller, and where that gets no
// descriptors of its own the runtime ends the program, with all its stacks for a message.
func CheckDescriptors() error {
	for range fewDescriptors {
		fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0) // the runtime has seen to it that 0 is open
		if err != nil {
			err = fmt.Errorf("fewer than %d more files can be opened: %w", fewDescriptors, err)
			return say.WithHint(err, "ulimit -n 1024")
		}
		defer unix.Close(fd)
	}
	return nil
}

// FileStat is what fstat(2) says of a file.
type FileStat = syscall.Stat_t

func fstat(fd int, st *FileStat) error { return syscall.Fstat(fd, st) }

func openToRead(path string, flags int) (*os.File, error) {
	fd, err := RetryEINTR(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|flags, 0) })
	if err != nil {
		return nil, err
	}
	_ = unix.SetNonblock(fd, false) // package os then asks no poller, which needs descriptors: see [CheckDescriptors]
	return os.NewFile(uintptr(fd), path), nil
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
	return os.Chmod(dir, 0o700)
}
