//go:build unix

package projection

import (
	"os"
	"path/filepath"
	"testing"

	"swop/internal/testhome"
)

// A directory on the way to what is pruned may be swapped for a link since it was listed.
func TestPruneFollowsNoLink(t *testing.T) {
	for _, swapped := range []string{"", "a", "a/20260101T000000Z", "a/20260101T000000Z/codex"} {
		t.Run(swapped, func(t *testing.T) {
			w := newWorld(t, t.TempDir(), "a")
			const name = "a/20260101T000000Z/codex/notes"
			outside := filepath.Join(w.home, "outside")
			for _, dir := range []string{w.displaced(), outside} {
				testhome.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
				testhome.PutText(t, filepath.Join(dir, name), "kept")
			}
			list, err := ListDisplaced(w.store)
			if err != nil || len(list) != 1 {
				t.Fatalf("Displaced() = %v, %v, want one", list, err)
			}
			dir := filepath.Join(w.displaced(), swapped)
			testhome.NoError(t, os.Rename(dir, dir+".was"))
			testhome.NoError(t, os.Symlink(filepath.Join(outside, swapped), dir))
			if err := Prune(w.store, list[0]); err == nil {
				t.Error("Prune gives no error")
			}
			if got := testhome.TextOf(filepath.Join(outside, name)); got != "kept" {
				t.Errorf("outside is %q", got)
			}
		})
	}
}
