package mirror

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"swop/internal/testhome"
)

// A version that took the place of a link waits until it is quiet. A start that comes meanwhile does not forget that its program saw the shared
// version, although that was written after the last scan: an older file, as mv brings one, takes its place all the same.
func TestEngineRemembersWhatWasSeen(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "notes", "first")
	own := filepath.Join(w.codex("a"), "notes")
	testhome.Tick(t)
	testhome.NoError(t, w.reconcile("a", busy)) // from here on the start below finds nothing to scan
	testhome.NoError(t, os.WriteFile(own, []byte("written through the link"), 0o600))
	testhome.Tick(t)
	testhome.NoError(t, w.reconcile("a", busy))
	testhome.Tick(t)
	moved := filepath.Join(w.codex("a"), "moved")
	testhome.PutText(t, moved, "older")
	longAgo := time.Now().Add(-time.Hour)
	testhome.NoError(t, os.Chtimes(moved, longAgo, longAgo))
	testhome.NoError(t, os.Rename(moved, own))
	testhome.NoError(t, w.reconcile("a", busy))
	wantText(t, own, "older") // not quiet yet
	testhome.NoError(t, w.settle())
	wantText(t, own, "older")
	wantText(t, filepath.Join(w.shared, "notes"), "older")
	if len(w.said) > 0 {
		t.Errorf("swop said %q", w.said)
	}
}

// What a session made waits for its end: its programs rely on it by name, and a link may lead to another version from the shared home than in the
// session.
func TestEngineNewWaits(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "notes", "text")
	own := w.codex("a")
	testhome.PutText(t, filepath.Join(own, "file"), "new")
	testhome.NoError(t, os.Symlink("/usr", filepath.Join(own, "link")))
	names := []string{"file", "link"}
	for dir, target := range map[string]string{"away": filepath.Join(own, "notes"), "up": "../notes", "within": filepath.Join(own, "within", "file"), "beside": "file"} {
		names = append(names, dir)
		testhome.NoError(t, os.Mkdir(filepath.Join(own, dir), 0o700))
		testhome.PutText(t, filepath.Join(own, dir, "file"), dir)
		testhome.NoError(t, os.Symlink(target, filepath.Join(own, dir, "link")))
	}
	testhome.Tick(t)
	testhome.NoError(t, w.reconcileWith("a", quiet(busy)))
	for _, name := range names {
		if testhome.Exists(filepath.Join(w.shared, name)) {
			t.Errorf("%s is shared while a session runs", name)
		}
	}
	testhome.NoError(t, w.settle())
	for _, name := range names {
		if !testhome.Exists(filepath.Join(w.shared, name)) {
			t.Errorf("%s is not shared in the end", name)
		}
	}
	wantText(t, filepath.Join(w.shared, "away", "link"), "text")
	wantText(t, filepath.Join(w.shared, "up", "link"), "text")
}

// A link of ours to nothing at the name of another entry says nothing of that, and is no part of a rename.
func TestEngineDanglingLinkIsNoRename(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "new", "text")
	own := w.codex("a")
	for _, move := range [][2]string{{"new", "third"}, {"config.toml", "new"}, {"third", "config.toml"}} {
		testhome.NoError(t, os.Rename(filepath.Join(own, move[0]), filepath.Join(own, move[1])))
	}
	testhome.NoError(t, w.settle())
	wantText(t, filepath.Join(w.shared, "config.toml"), "text")
	if testhome.Exists(filepath.Join(w.shared, "new")) {
		t.Error("new came back")
	}
}
