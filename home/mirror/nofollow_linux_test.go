package mirror

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/home/journal"
	"swop/internal/testhome"
)

// swaps put a link, to a directory outside of both homes, in the place of an entry that a reconcile has just read and is about to open.
var swaps = []struct {
	name   string
	start  func(w *testWorld, own, shared string)
	before string // the call before which it is swapped
	path   func(w *testWorld) string
}{
	{
		name: "a directory that is merged", start: startStates["directories to merge"], before: "open d",
		path: func(w *testWorld) string { return filepath.Join(w.codex("a"), "sessions", "d") },
	},
	{
		name: "the other side of a merge", start: startStates["directories to merge"], before: "open sessions",
		path: func(w *testWorld) string { return filepath.Join(w.shared, "sessions") },
	},
	{
		name: "a directory that is adopted", start: startStates["adopt a directory with links into the sandbox"], before: "open proj",
		path: func(w *testWorld) string { return filepath.Join(w.codex("a"), "proj") },
	},
	{
		name: "a directory below one that is adopted", start: startStates["adopt a directory with links into the sandbox"], before: "open deep",
		path: func(w *testWorld) string { return filepath.Join(w.codex("a"), "proj", "deep") },
	},
	{
		name: "the sandbox itself", start: startStates["adopt a file"], before: "open .codex",
		path: func(w *testWorld) string { return w.codex("a") },
	},
	{
		name: "where entries are moved to", start: startStates["directories that do not merge"], before: "open moving",
		path: func(w *testWorld) string { return filepath.Join(w.accounts["a"].Dir, journal.MovesDir) },
	},
	{
		name: "where versions are kept", start: startStates["directories that do not merge"], before: "open kept",
		path: func(w *testWorld) string { return w.kept() },
	},
}

// TestEngineFollowsNoLink: a program puts a link in the way between the scan and the repair. It does not lead the repair outside.
func TestEngineFollowsNoLink(t *testing.T) {
	s := newStepper(t)
	for _, tt := range swaps {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a")
			tt.start(w, w.codex("a"), w.shared)
			outside := filepath.Join(filepath.Dir(w.home), "outside")
			for _, dir := range []string{"", "deep", "d", "proj"} {
				testhome.NoError(t, os.MkdirAll(filepath.Join(outside, dir), 0o700))
				testhome.PutText(t, filepath.Join(outside, dir, "file"), "theirs")
			}
			before := w.tree(outside)
			swapped := false
			_, _ = s.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno { // it may refuse to go on
				if path := tt.path(w); !swapped && strings.HasPrefix(w.words(call), tt.before) && testhome.Exists(path) {
					swapped = true
					testhome.NoError(t, os.Rename(path, path+".was"))
					testhome.NoError(t, os.Symlink(outside, path))
				}
				return 0
			})
			if !swapped {
				t.Fatalf("there is no call %q any more: nothing is proved", tt.before)
			}
			if after := w.tree(outside); !slices.Equal(after, before) {
				t.Errorf("outside is\n%q, was\n%q", after, before)
			}
		})
	}
}
