package disk

import (
	"os"
	"path/filepath"
	"testing"

	"swop/internal/test/testfile"
)

// Whoever has a file open keeps it from being unopened.
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
	if _, known := d.Unopened("missing"); known {
		t.Error("a missing file is known")
	}
}
