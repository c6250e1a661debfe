package projection

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// What cannot be adopted is an error and not passed over: the stamp of such a scan must not be written.
func TestEngineAdoptionThatFailsIsAnError(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.PutText(t, filepath.Join(w.codex("a"), "new"), "kept 1")
	_, err := s.run(func() error { return w.reconcile("a", idle) }, func(_ int, call string) unix.Errno {
		if strings.HasPrefix(call, "link new to") {
			return unix.ENOSPC
		}
		return 0
	})
	if err == nil {
		t.Error("Reconcile returned no error, want that of link(2)")
	}
	wantHeld(t, w, "kept 1")
}
