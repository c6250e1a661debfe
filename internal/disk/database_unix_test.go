//go:build unix

package disk

import (
	"path/filepath"
	"testing"

	"swop/internal/test/testfile"
)

func TestIsDatabase(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(dir, NoFollow)
	testfile.NoError(t, err)
	defer d.Close()
	for text, want := range map[string]bool{"SQLite format 3\x00 pages": true, "": true, "SQLite format": false, "a diary, not a database": false} {
		testfile.Put(t, filepath.Join(dir, "x"), text, 0o600)
		if got := d.IsDatabase("x"); got != want {
			t.Errorf("IsDatabase of %q = %t", text, got)
		}
	}
	if d.IsDatabase("missing") {
		t.Error("a missing file is a database")
	}
}
