package confine

import (
	"os"
	"path/filepath"
	"testing"

	"swop/disk"
	"swop/internal/testhome"
)

// TestRemoveEmpty: of what was made to be covered, only an empty directory is removed, and nothing where a link above it leads.
func TestRemoveEmpty(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"made/.git", "victim/.git", "full/.git/x"} {
		testhome.NoError(t, os.MkdirAll(filepath.Join(top, dir), 0o700))
	}
	testhome.PutFile(t, filepath.Join(top, "file/.git"), "gitdir: elsewhere\n")
	testhome.NoError(t, os.Symlink("victim", filepath.Join(top, "link")))
	for path, want := range map[string]bool{"made/.git": false, "link/.git": true, "full/.git": true, "file/.git": true} {
		removeEmpty(filepath.Join(top, path))
		if got := disk.At(filepath.Join(top, path)).Exists(); got != want {
			t.Errorf("%s is there: %t, want %t", path, got, want)
		}
	}
}
