//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"testing"

	"swop/internal/testhome"
)

// mv config.toml config.toml.bak, and a new config.toml: the backup is kept, as it would be without links.
func TestEngineBackupByRenameIsKept(t *testing.T) {
	for _, name := range []string{"config.toml", "notes"} {
		w := newWorld(t, testhome.Scratch(t), "a", "b")
		shareFile(t, w, name, "old")
		own := filepath.Join(w.codex("a"), name)
		testhome.NoError(t, os.Rename(own, own+".bak"))
		testhome.PutText(t, own, "new")
		testhome.NoError(t, w.settle())
		wantText(t, filepath.Join(w.codex("b"), name), "new")
		wantText(t, filepath.Join(w.codex("b"), name+".bak"), "old")
	}
}

// mv notes old, mv todo notes: each link follows its file, whatever the order of the names.
func TestEngineRenamesInAChain(t *testing.T) {
	for _, first := range []string{"a-old", "z-old"} {
		w := newWorld(t, testhome.Scratch(t), "a", "b")
		shareFile(t, w, "notes", "of notes")
		shareFile(t, w, "todo", "of todo")
		own := w.codex("a")
		testhome.NoError(t, os.Rename(filepath.Join(own, "notes"), filepath.Join(own, first)))
		testhome.NoError(t, os.Rename(filepath.Join(own, "todo"), filepath.Join(own, "notes")))
		testhome.NoError(t, w.settle())
		wantText(t, filepath.Join(w.codex("b"), first), "of notes")
		wantText(t, filepath.Join(w.codex("b"), "notes"), "of todo")
	}
}

// A temporary file with a fixed name is adopted, renamed, and written again before the next scan.
func TestEngineTemporaryNameIsReused(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a", "b")
	shareFile(t, w, "notes", "first")
	tmp := filepath.Join(w.codex("a"), "notes.new")
	testhome.PutText(t, tmp, "second")
	testhome.NoError(t, w.reconcile("a", busy))
	testhome.NoError(t, w.reconcile("a", busy)) // adopted in mid-flight
	testhome.Tick(t)
	testhome.NoError(t, w.reconcile("a", busy))
	testhome.Tick(t)
	testhome.NoError(t, os.Rename(tmp, filepath.Join(w.codex("a"), "notes")))
	testhome.PutText(t, tmp, "third")
	testhome.NoError(t, w.settle())
	wantText(t, filepath.Join(w.shared, "notes"), "second")
	wantText(t, filepath.Join(w.shared, "notes.new"), "third")
}
