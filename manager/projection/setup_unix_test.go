//go:build unix

package projection

import (
	"errors"
	"path/filepath"
	"testing"

	"swop/internal/testhome"
	"swop/manager/disk"
)

// A marker that a program wrote after ours was compared with it stays.
func TestExchangeCopy(t *testing.T) {
	dir := testhome.Scratch(t)
	file, tmp := filepath.Join(dir, "marker"), filepath.Join(dir, "tmp")
	testhome.PutText(t, file, "old")
	testhome.PutText(t, tmp, "ours")
	d, err := disk.Open(dir, disk.Follow)
	testhome.NoError(t, err)
	defer d.Close()
	old, err := d.Stat("marker")
	testhome.NoError(t, err)
	replaceFile(t, file, "a program's")
	if err := exchangeCopy(d, "tmp", "marker", old); !errors.Is(err, disk.ErrChanged) {
		t.Errorf("exchangeCopy = %v, want ErrChanged", err)
	}
	wantText(t, file, "a program's")
	wantText(t, tmp, "ours")
	old, err = d.Stat("marker")
	testhome.NoError(t, err)
	testhome.NoError(t, exchangeCopy(d, "tmp", "marker", old))
	wantText(t, file, "ours")
	if i, err := d.Stat("tmp"); err != nil || i.Exists() {
		t.Errorf("the replaced marker is left (%v)", err)
	}
}
