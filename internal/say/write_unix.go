//go:build unix

package say

import (
	"io"
	"os"
	"syscall"
)

// write writes text to w, and ignores errors: no message is worth the end of a call. On a closed pipe package os would raise SIGPIPE, as it
// does for the standard streams only, and codex would not start.
func write(w io.Writer, text string) {
	f, ok := w.(*os.File)
	if !ok {
		_, _ = io.WriteString(w, text) // there is no other stream for the error
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
