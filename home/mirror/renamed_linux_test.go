package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// A program renames the link of a mount point, which cannot be renamed itself. It keeps its name, and nothing is stopped: the link waits, unless its
// new name is a private one, which must not lead to it.
func TestEngineMountPointKeepsItsName(t *testing.T) {
	s := newStepper(t)
	for name, stays := range map[string]string{"other": "other", "auth.d": "mount"} {
		w := newWorld(t, testhome.Scratch(t), "a")
		testhome.NoError(t, os.Mkdir(filepath.Join(w.shared, "mount"), 0o700))
		testhome.PutText(t, filepath.Join(w.shared, "mount", "file"), "text")
		w.reconcileAfterTick()
		testhome.NoError(t, os.Rename(filepath.Join(w.codex("a"), "mount"), filepath.Join(w.codex("a"), name)))
		for range 2 {
			_, err := s.run(func() error { return w.reconcile("a", idle) }, func(_ int, call string) unix.Errno {
				if strings.HasPrefix(call, "rename mount to") {
					return unix.EBUSY
				}
				return 0
			})
			if err != nil {
				t.Errorf("Reconcile failed: %s", w.words(err.Error()))
			}
		}
		wantText(t, filepath.Join(w.codex("a"), stays, "file"), "text")
		if said := len(w.said); said != 1 && stays == name {
			t.Errorf("%d lines say it, want one", said)
		}
	}
}
