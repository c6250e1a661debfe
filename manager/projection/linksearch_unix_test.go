//go:build unix

package projection

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/testhome"
)

// mv notes elsewhere, and a new notes: the file that the moved link stands for is kept, wherever in the homes the link is. A directory on
// the way to it does not change.
func TestEngineLinkMovedAnywhereKeepsItsFile(t *testing.T) {
	for _, to := range []string{"home/.codex/deep/in/notes", "home/notes.bak", "home/other/in/notes", "user/other/in/notes"} {
		w := newWorld(t, testhome.Scratch(t), "a")
		w.settings.Isolation = config.IsolateHome
		for _, dir := range []string{filepath.Join(w.shared, "deep", "in"), filepath.Join(w.home, "other", "in")} {
			testhome.NoError(t, os.MkdirAll(dir, 0o700))
		}
		shareFile(t, w, "notes", "old")
		own := filepath.Join(w.codex("a"), "notes")
		above := w.accounts["a"].Dir
		if strings.HasPrefix(to, "user/") {
			above = filepath.Dir(w.home)
		}
		testhome.NoError(t, os.Rename(own, filepath.Join(above, to)))
		testhome.PutText(t, own, "new")
		testhome.NoError(t, w.settle())
		wantText(t, own, "new")
		if !testhome.HoldsText("old", w.home, w.store.Root) {
			t.Errorf("moved to %s: what the link stood for is lost", to)
		}
	}
}

// Among more directories than are searched, the one that the link was moved into is known by its having changed.
func TestEngineLinkMovedAmongManyKeepsItsFile(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	for i := range maxSearched + 10 {
		testhome.NoError(t, os.MkdirAll(filepath.Join(w.shared, "many", strconv.Itoa(i)), 0o700))
	}
	testhome.NoError(t, os.Mkdir(filepath.Join(w.shared, "many", "x"), 0o700)) // the last one, by its name
	shareFile(t, w, "notes", "old")
	own := filepath.Join(w.codex("a"), "notes")
	testhome.NoError(t, os.Rename(own, filepath.Join(w.codex("a"), "many", "x", "notes")))
	testhome.PutText(t, own, "new")
	testhome.NoError(t, w.settle())
	if !testhome.HoldsText("old", w.home, w.store.Root) {
		t.Error("what the link stood for is lost")
	}
}
