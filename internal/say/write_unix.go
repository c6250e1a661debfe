//go:build unix

package say

import (
	"io"
	"os"
	"syscall"
)

// write writes text to w. Of what is said none is worth a call's end: to a pipe that nobody reads package os would raise SIGPIPE, as it
// does for the standard streams alone, and codex would not start.
func write(w io.Writer, text string) {
	f, ok := w.(*os.File)
	if !ok {
		_, _ = io.WriteString(w, text) // nobody is left to be told
		return
	}
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = c.Write(func(fd uintptr) bool {
		_, err := syscall.Write(int(fd), []byte(text))
		return err != syscall.EAGAIN
	})
}
