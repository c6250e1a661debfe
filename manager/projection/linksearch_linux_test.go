package projection

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// TestEngineSearchedDirectoryGoes: a directory is removed while a link is looked for in it.
func TestEngineSearchedDirectoryGoes(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	skills := filepath.Join(w.shared, "skills")
	testhome.NoError(t, os.MkdirAll(filepath.Join(skills, "empty"), 0o700))
	startStates["a replaced link"](w, w.codex("a"), w.shared)
	gone, last := false, ""
	_, err := newStepper(t).run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
		if call == "list" && last == "open "+filepath.Join(skills, "empty") {
			gone = os.Remove(filepath.Join(skills, "empty")) == nil
		}
		last = call
		return 0
	})
	if err != nil || !gone {
		t.Fatalf("Reconcile = %v, removed: %v, want no error and a removal", err, gone)
	}
	wantText(t, filepath.Join(w.shared, "config.toml"), "kept 1")
}

// A mount whose server is gone is beside a link that a program replaced: the search for the link skips it.
func TestEngineDeadMountStopsNothing(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.NoError(t, os.Mkdir(filepath.Join(w.shared, "mount"), 0o700))
	shareFile(t, w, "notes", "old")
	replaceFile(t, filepath.Join(w.codex("a"), "notes"), "new")
	met := false
	_, err := s.run(func() error { return w.reconcile("a", idle) }, func(_ int, call string) unix.Errno {
		if call != "stat mount" {
			return 0
		}
		met = true
		return unix.ENOTCONN
	})
	if err != nil || !met {
		t.Errorf("Reconcile = %v, the mount was met: %v, want no error and true", err, met)
	}
	wantText(t, filepath.Join(w.shared, "notes"), "new")
}
