package disk

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/test/testfile"
)

// Whoever has a file open, or has mapped it, keeps it from being unopened.
func TestUnopened(t *testing.T) {
	dir := t.TempDir()
	file := testfile.Put(t, filepath.Join(dir, "file"), "text", 0o600)
	d, err := Open(dir, NoFollow)
	testfile.NoError(t, err)
	defer d.Close()
	want := func(why string, want bool) {
		t.Helper()
		if got, known := d.Unopened("file"); got != want || !known {
			t.Errorf("%s: %v, %v; want %v", why, got, known, want)
		}
	}
	want("a file that nobody has", true)
	for _, flags := range []int{os.O_RDONLY, os.O_WRONLY | os.O_APPEND} {
		f, err := os.OpenFile(file, flags, 0)
		testfile.NoError(t, err)
		want("a file that is open", false)
		f.Close()
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	testfile.NoError(t, err)
	m, err := unix.Mmap(int(f.Fd()), 0, 4, unix.PROT_READ, unix.MAP_SHARED)
	f.Close()
	testfile.NoError(t, err)
	want("a file that is mapped", false)
	testfile.NoError(t, unix.Munmap(m))
	cmd := exec.Command("sh", "-c", "exec 3<file; echo; read x")
	cmd.Dir = dir
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	testfile.NoError(t, cmd.Start())
	_, err = out.Read(make([]byte, 1))
	testfile.NoError(t, err)
	want("a file that another process has", false)
	in.Close()
	_ = cmd.Wait() // read ends with its input
	want("a file that was closed again", true)
	if _, known := d.Unopened("missing"); known {
		t.Error("a missing file is known")
	}
}
