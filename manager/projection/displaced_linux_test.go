package projection

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// TestEnginePruneBeforeEachCall: an empty directory under displaced/ may be pruned before any call of a reconcile that displaces a version
// to it.
func TestEnginePruneBeforeEachCall(t *testing.T) {
	s := newStepper(t)
	worlds := map[string]func() *testWorld{
		"on one device": func() *testWorld { return newWorld(t, testhome.Scratch(t), "a") },
		"on two":        func() *testWorld { return newTwoDeviceWorld(t, "a") },
	}
	for _, name := range []string{"two versions, the own one newer", "two versions, the shared one newer"} {
		for devices, newWorld := range worlds {
			for f := range faults(testhome.Points(t, 8)) {
				w := newWorld()
				startStates[name](w, w.codex("a"), w.shared)
				_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(n int, call string) unix.Errno {
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
func (w *testWorld) removeEmpty(dir string) {
	entries, _ := os.ReadDir(dir) // it may not be there
	for _, e := range entries {
		if e.IsDir() {
			w.removeEmpty(filepath.Join(dir, e.Name()))
			_ = os.Remove(filepath.Join(dir, e.Name())) // it fails if there is something in it
		}
	}
}

// TestPruneFollowsNoSwappedLink: Prune removes the directories that are empty then, and a program swaps one of them for a link. Nothing
// outside is removed.
func TestPruneFollowsNoSwappedLink(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	startStates["directories that do not merge"](w, w.codex("a"), w.shared)
	testhome.NoError(t, w.settle())
	list, err := ListDisplaced(w.store)
	testhome.NoError(t, err)
	if len(list) != 1 {
		t.Fatalf("displaced is %+v, want one", list)
	}
	outside, at := t.TempDir(), filepath.Dir(filepath.Dir(list[0].Path))
	testhome.PutText(t, filepath.Join(outside, "codex"), "theirs")
	swapped := false
	_, _ = s.run(func() error { return Prune(w.store, list[0]) }, func(_ int, call string) unix.Errno { // it may refuse to go on
		if strings.HasPrefix(call, "unlink ") && strings.HasSuffix(call, "codex") && !swapped {
			swapped = true
			testhome.NoError(t, os.Rename(at, at+".was"))
			testhome.NoError(t, os.Symlink(outside, at))
		}
		return 0
	})
	if !swapped {
		t.Fatal("there is no such call any more: nothing is proved")
	}
	wantText(t, filepath.Join(outside, "codex"), "theirs")
}
