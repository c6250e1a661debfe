package projection

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// TestEnginePruneBeforeEachCall: a directory under displaced/ may be pruned for being empty before any call of a reconcile that sets a
// version aside in it.
func TestEnginePruneBeforeEachCall(t *testing.T) {
	s := newStepper(t)
	worlds := map[string]func() *world{
		"on one device": func() *world { return newWorld(t, testhome.Scratch(t), "a") },
		"on two":        func() *world { return newDivided(t, "a") },
	}
	for _, name := range []string{"two versions, the own one newer", "two versions, the shared one newer"} {
		for devices, newWorld := range worlds {
			for f := range faults(testhome.Points(t, 8)) {
				w := newWorld()
				hardStarts[name](w, w.codex("a"), w.shared)
				_, err := s.run(func() error { return w.reconcile("a", silent) }, func(n int, call string) unix.Errno {
					if n == f.at {
						f.met, f.log = true, "before "+call
						w.removeEmpty(w.displaced())
					}
					return 0
				})
				if err != nil {
					t.Errorf("%s, %s, %s: %v", name, devices, w.words(f.log), err)
				}
				testhome.NoError(t, w.settle())
				for _, text := range []string{"kept 1", "kept 2"} {
					if !testhome.HoldsText(text, w.shared, w.displaced()) {
						t.Errorf("%s, %s, %s: %q is lost", name, devices, w.words(f.log), text)
					}
				}
			}
		}
	}
}

// removeEmpty removes what directories below dir hold nothing, the deepest first, as Prune does after it removed a version.
func (w *world) removeEmpty(dir string) {
	entries, _ := os.ReadDir(dir) // it may not be there
	for _, e := range entries {
		if e.IsDir() {
			w.removeEmpty(filepath.Join(dir, e.Name()))
			_ = os.Remove(filepath.Join(dir, e.Name())) // it fails if there is something in it
		}
	}
}
