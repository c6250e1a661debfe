package projection

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// The shared log of a database is removed, as SQLite does when the last program closes it, while it is compared with one that a killed run
// left.
func TestEngineLogGoesWhileItIsCompared(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.PutText(t, filepath.Join(w.shared, databaseName), "db")
	w.reconcileAfterTick()
	log := databaseName + "-wal"
	testhome.PutText(t, filepath.Join(w.shared, log), "gone 1")
	testhome.PutText(t, filepath.Join(w.codex("a"), log), "kept 1")
	met := false
	_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
		if call == "open "+log && !met {
			met = true
			testhome.NoError(t, os.Remove(filepath.Join(w.shared, log)))
		}
		return 0
	})
	if err != nil || !met {
		t.Errorf("Reconcile = %v, it compared: %v, want no error and true", err, met)
	}
	testhome.NoError(t, w.settle())
	wantHeld(t, w, "kept 1")
}
