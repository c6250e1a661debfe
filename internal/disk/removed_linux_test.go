package disk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// TestRemoveAllTwice: two runs that remove the same thing at once both succeed.
func TestRemoveAllTwice(t *testing.T) {
	top := t.TempDir()
	d, err := disk.Open(top, disk.NoFollow)
	testhome.NoError(t, err)
	defer d.Close()
	for range 100 {
		for i := range 20 {
			testhome.NoError(t, os.MkdirAll(filepath.Join(top, "gone", fmt.Sprint(i), "in"), 0o700))
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if err := disk.RemoveAll(d, "gone"); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
}
