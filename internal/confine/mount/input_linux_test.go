package mount

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/testhome"
)

// TestInput reads a part, and then all, of a file and of a pipe, as a session does: what was not read is still there.
func TestInput(t *testing.T) {
	text := bytes.Repeat([]byte("one line of some length\n"), 1000)
	for _, name := range []string{"a file", "a pipe"} {
		t.Run(name, func(t *testing.T) {
			from := inputOf(t, name, text)
			defer from.Close()
			in, fd, err := newInput(int(from.Fd()))
			testhome.NoError(t, err)
			theirs := os.NewFile(uintptr(fd), "theirs")
			part := make([]byte, 5000)
			_, err = io.ReadFull(theirs, part)
			testhome.NoError(t, err)
			again, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", theirs.Fd()), unix.O_WRONLY|unix.O_NONBLOCK, 0)
			testhome.NoError(t, err)
			_, _ = unix.Write(again, []byte("evil")) // into what nobody outside reads
			testhome.NoError(t, unix.Close(again))
			testhome.NoError(t, theirs.Close())
			in.take()
			rest, err := io.ReadAll(from)
			testhome.NoError(t, err)
			if !bytes.Equal(append(part, rest...), text) {
				t.Errorf("%d bytes are left of %d, and %d were read", len(rest), len(text), len(part))
			}
		})
		t.Run(name+", whole", func(t *testing.T) {
			from := inputOf(t, name, text)
			defer from.Close()
			_, fd, err := newInput(int(from.Fd()))
			testhome.NoError(t, err)
			if all, err := io.ReadAll(os.NewFile(uintptr(fd), "theirs")); err != nil || !bytes.Equal(all, text) {
				t.Errorf("%d bytes of %d: %v", len(all), len(text), err)
			}
		})
	}
	null, err := os.Open(os.DevNull)
	testhome.NoError(t, err)
	defer null.Close()
	if in, fd, err := newInput(int(null.Fd())); in != nil || fd != int(null.Fd()) || err != nil {
		t.Errorf("a device is passed on by a pipe: %v", err)
	}
}

func inputOf(t *testing.T, kind string, text []byte) *os.File {
	t.Helper()
	if kind == "a pipe" {
		r, w, err := os.Pipe()
		testhome.NoError(t, err)
		_, err = unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 1<<16)
		testhome.NoError(t, err)
		_, err = w.Write(text)
		testhome.NoError(t, err)
		testhome.NoError(t, w.Close())
		return r
	}
	file := filepath.Join(t.TempDir(), "in")
	testhome.NoError(t, os.WriteFile(file, text, 0o600))
	f, err := os.Open(file)
	testhome.NoError(t, err)
	return f
}
