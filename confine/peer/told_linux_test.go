package peer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// tell says three things. It says when there is no room for the second one, before anything was read.
func tell(dir string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: filepath.Join(dir, "told")}); err != nil {
		return err
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		return fmt.Errorf("what it says goes to what it starts: %d, %w", flags, err)
	}
	_, first := unix.Write(fd, []byte("one"))
	err = errors.Join(first, unix.SetNonblock(fd, true))
	_, full := unix.Write(fd, []byte("two"))
	if err = errors.Join(err, unix.SetNonblock(fd, false), os.WriteFile(filepath.Join(dir, "full"), nil, 0)); err != nil || !errors.Is(full, unix.EAGAIN) {
		return fmt.Errorf("the second write: %w, %w", full, err)
	}
	for _, text := range []string{"two", "three"} {
		if _, err := unix.Write(fd, []byte(text)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(os.Stderr, "ended")
	return err
}

// TestTold: a program waits until what it said is read, so that its stderr can be written to before it goes on.
func TestTold(t *testing.T) {
	dir := t.TempDir()
	path, full := filepath.Join(dir, "told"), filepath.Join(dir, "full")
	testhome.NoError(t, os.WriteFile(path, nil, 0o600))
	testhome.NoError(t, unix.Mkfifo(full, 0o600))
	told := Told{Path: path, Serve: func(said, process *os.File) {
		defer said.Close()
		defer process.Close()
		part := make([]byte, 64)
		_, err := os.ReadFile(full) // until the program says so
		n, readErr := said.Read(part)
		fd, fdErr := unix.PidfdGetfd(int(process.Fd()), 2, 0)
		if err := errors.Join(err, readErr, fdErr); err != nil || string(part[:n]) != "one" {
			t.Errorf("read: %q, %v", part[:n], err)
			return
		}
		_, err = unix.Write(fd, []byte("heard "))
		if err := errors.Join(err, unix.Close(fd)); err != nil {
			t.Error(err)
		}
		for err == nil {
			_, err = said.Read(part)
		}
	}}
	out, err := session{confined: true, allowed: []string{path}, told: &told}.run(t, "tell", self(t), dir)
	if want := "heard ended\n"; out != want || err != nil {
		t.Errorf("the session prints %q, %v, want %q", out, err, want)
	}
}
