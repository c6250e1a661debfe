//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"unsafe"
)

// ReadFile returns the contents of the regular file at path, of most bytes at most, and what fstat(2) says of it. flags are added
// to those of open(2). It never waits, as a FIFO would make it, and does without os.File, whose poller a start of codex would pay for.
func ReadFile(path string, flags int, most int64) (text string, st syscall.Stat_t, err error) {
	fd, err := RetryEINTR(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC|flags, 0)
	})
	if err != nil {
		return "", st, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	if err := syscall.Fstat(fd, &st); err != nil {
		return "", st, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return "", st, fmt.Errorf("%s: not a regular file", path)
	}
	buf, err := readAll(fd, st.Size, most)
	if err != nil {
		return "", st, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	if int64(len(buf)) > most {
		return "", st, fmt.Errorf("%s: larger than %d bytes", path, most)
	}
	return unsafe.String(unsafe.SliceData(buf), len(buf)), st, nil // nobody writes to buf any more: a copy would cost each start two pages
}

// ReadOwn is [ReadFile] for a file of swop's own: a link is refused with an error that wraps [ErrUnsafe].
func ReadOwn(path string, most int64) (string, error) {
	text, _, err := ReadFile(path, syscall.O_NOFOLLOW, most)
	if errors.Is(err, syscall.ELOOP) {
		return "", Unsafe("%s: is a link", path)
	}
	return text, err
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
