package peer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// tell says three things at once, and prints how long the last one took.
func tell(dir string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: filepath.Join(dir, "told")}); err != nil {
		return err
	}
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		return fmt.Errorf("what it says goes to what it starts: %d, %w", flags, err)
	}
	said := os.NewFile(uintptr(fd), "said")
	began := time.Now()
	for _, text := range []string{"one", "two", "three"} {
		if _, err := said.WriteString(text); err != nil {
			return err
		}
	}
	if took := time.Since(began); took < reading {
		return fmt.Errorf("it has said all after %s", took)
	}
	_, err = fmt.Fprintln(os.Stderr, "ended")
	return err
}

// reading is how long the test takes to read.
const reading = 50 * time.Millisecond

// TestTold: a program waits until what it said is read, so that its stderr can be written to before it goes on.
func TestTold(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "told")
	testhome.NoError(t, os.WriteFile(path, nil, 0o600))
	told := Told{Path: path, Serve: func(said, process *os.File) {
		defer said.Close()
		defer process.Close()
		part := make([]byte, 64)
		for {
			time.Sleep(reading)
			n, err := said.Read(part)
			if err != nil {
				return
			}
			if string(part[:n]) != "one" {
				continue
			}
			fd, err := unix.PidfdGetfd(int(process.Fd()), 2, 0)
			if err == nil {
				_, err = unix.Write(fd, []byte("heard "))
			}
			if err = errors.Join(err, unix.Close(fd)); err != nil {
				t.Error(err)
			}
		}
	}}
	out, err := session{confined: true, told: &told}.run(t, "tell", self(t), dir)
	if want := "heard ended\n"; out != want || err != nil {
		t.Errorf("the session prints %q, %v, want %q", out, err, want)
	}
}
