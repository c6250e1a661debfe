package mount

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/disk"
)

// input passes standard input on to a session by a pipe. A program that has a file or a pipe to read can open it again and write
// (proc_pid_fd(5)): where a shell outside reads its script there, as in "sh < script", a session would add to the script. Bytes that no
// program inside has read stay for programs outside.
type input struct {
	mu    sync.Mutex
	from  int
	pipe  int // with room for one page
	shown int // the number of bytes of from that are in the pipe, or were read from the pipe, and not taken yet
}

const page = 4096

// newInput returns the session's descriptor in the place of from: the read end of the pipe; for a terminal, another device or a socket,
// which cannot be opened again, from itself, and a nil input.
func newInput(from int) (in *input, theirs int, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(from, &st); err != nil || st.Mode&unix.S_IFMT == unix.S_IFCHR || st.Mode&unix.S_IFMT == unix.S_IFSOCK {
		return nil, from, os.NewSyscallError("fstat", err)
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, -1, os.NewSyscallError("pipe2", err)
	}
	_, err = unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, page)
	in = &input{from: from, pipe: ends[1]}
	go in.pass()
	return in, ends[0], os.NewSyscallError("fcntl", err)
}

// pass passes bytes on until the input ends, or nobody inside reads.
func (in *input) pass() {
	for wait(in.from, unix.POLLIN) {
		n, err := in.show()
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
			continue // another program outside has read the bytes
		}
		if err != nil || n == 0 {
			break
		}
		for left := n; left > 0; left = in.take() {
			if !wait(in.pipe, unix.POLLOUT) {
				_ = in.take()
				return
			}
			if in.take() > 0 {
				time.Sleep(time.Millisecond) // the session has made the pipe larger
			}
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	_ = unix.Close(in.pipe) // the session sees the end
	in.pipe = -1
}

// wait waits until a descriptor is ready, or at its end. It reports false for a pipe that nobody reads.
func wait(fd int, events int16) bool {
	ready := []unix.PollFd{{Fd: int32(fd), Events: events}}
	_, err := disk.RetryEINTR(func() (int, error) { return unix.Poll(ready, -1) })
	return err == nil && ready[0].Revents&unix.POLLERR == 0
}

// show puts the next bytes into the pipe, and leaves them in the input.
func (in *input) show() (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	copied, err := unix.Tee(in.from, in.pipe, page, unix.SPLICE_F_NONBLOCK)
	n := int(copied)
	if errors.Is(err, unix.EINVAL) { // no pipe
		text := make([]byte, page)
		var at int64
		if at, err = unix.Seek(in.from, 0, io.SeekCurrent); err == nil {
			n, err = unix.Pread(in.from, text, at)
		}
		if err == nil && n > 0 {
			n, err = unix.Write(in.pipe, text[:n])
		}
	}
	in.shown = max(n, 0)
	return n, err
}

// take takes from the input the bytes that were read inside, and returns the number of the shown bytes that were not.
func (in *input) take() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.shown == 0 {
		return 0
	}
	left, err := unix.IoctlGetInt(in.pipe, unix.TIOCINQ)
	read := in.shown - left
	if err != nil || read <= 0 { // programs inside can write there, too
		return in.shown
	}
	in.shown = left
	if _, err := unix.Seek(in.from, int64(read), io.SeekCurrent); errors.Is(err, unix.ESPIPE) {
		_, _ = unix.Read(in.from, make([]byte, read)) // show has seen these bytes
	}
	return left
}
