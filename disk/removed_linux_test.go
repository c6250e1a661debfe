package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"swop/disk"
	"swop/internal/testhome"
)

// TestRemovedDirectory: a directory that another run removed while it was open is missing, which RemoveAll takes for done.
func TestRemovedDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gone")
	testhome.NoError(t, os.Mkdir(path, 0o700))
	d, err := disk.Open(path, disk.NoFollow)
	testhome.NoError(t, err)
	defer d.Close()
	testhome.NoError(t, os.Remove(path))
	if names, err := d.Entries(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed directory lists %v, %v", names, err)
	}
}
