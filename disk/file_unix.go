//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"swop/say"
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

// ReadFileStat is [ReadFile] which puts into st what fstat(2) says of the file.
func ReadFileStat(path string, flags int, most int64, st *syscall.Stat_t) (string, error) {
	fd, err := openToRead(path, flags)
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	if err := syscall.Fstat(fd, st); err != nil {
		return "", &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return "", fmt.Errorf("%s: not a regular file", path)
	}
	buf, err := readAll(fd, st.Size, most)
	if err != nil {
		return "", &fs.PathError{Op: "read", Path: path, Err: err}
	}
	if int64(len(buf)) > most {
		return "", fmt.Errorf("%s: larger than %d bytes", path, most)
	}
	return unsafe.String(unsafe.SliceData(buf), len(buf)), nil // nobody writes to buf any more: a copy would cost each start two pages
}

func openToRead(path string, flags int) (int, error) {
	return RetryEINTR(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC|flags, 0)
	})
}

// readAll reads to the end of the file, or one byte more than most. size is what the file most likely has.
func readAll(fd int, size, most int64) ([]byte, error) {
	const block = 512 // all small files have buffers of one size: each size that a process uses costs it a page more
	text := make([]byte, 0, (min(max(size, 0), most)/block+1)*block)
	for {
		n, err := RetryEINTR(func() (int, error) { return syscall.Read(fd, text[len(text):cap(text)]) })
		if err != nil || n <= 0 {
			return text, err
		}
		text = text[:len(text)+n]
		if int64(len(text)) > most || int64(len(text)) == size {
			return text, nil
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
}

// RetryEINTR calls f again as long as a signal interrupts it, as package os does for its own calls: without SA_RESTART, and on some
// file systems even with it, open and the like return EINTR (signal(7)). f returns the system call's own error.
func RetryEINTR[T any](f func() (T, error)) (T, error) {
	for {
		v, err := f()
		if err != syscall.EINTR { // errors.Is would ask the error's type, for pages that nothing else touches
			return v, err
		}
	}
}

// WriteNew writes a file, owner-only, that must not be there yet.
func (d Dir) WriteNew(name string, text []byte) error {
	fd, err := unix.Openat(d.Fd(), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return d.Err("open", name, err)
	}
	for len(text) > 0 && err == nil {
		var n int
		n, err = RetryEINTR(func() (int, error) { return unix.Write(fd, text) })
		text = text[max(n, 0):]
	}
	return d.Err("write", name, errors.Join(err, unix.Close(fd)))
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
