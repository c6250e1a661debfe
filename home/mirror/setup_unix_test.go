//go:build unix

package mirror

import (
	"errors"
	"path/filepath"
	"testing"

	"swop/disk"
	"swop/internal/testhome"
)

// A marker that a program wrote after it was compared with ours stays.
func TestDropOld(t *testing.T) {
	dir := testhome.Scratch(t)
	file := filepath.Join(dir, "marker")
	testhome.PutText(t, file, "old")
	d, err := disk.Open(dir, disk.Follow)
	testhome.NoError(t, err)
	defer d.Close()
	old, err := d.Stat("marker")
	testhome.NoError(t, err)
	replaceFile(t, file, "a program's")
	if err := dropOld(d, "marker", old); !errors.Is(err, disk.ErrChanged) {
		t.Errorf("dropOld = %v, want ErrChanged", err)
	}
	wantText(t, file, "a program's")
	old, err = d.Stat("marker")
	testhome.NoError(t, err)
	testhome.NoError(t, dropOld(d, "marker", old))
	if entries, err := d.Entries(); err != nil || len(entries) > 0 {
		t.Errorf("dropOld leaves %v, %v, want nothing", entries, err)
	}
}
