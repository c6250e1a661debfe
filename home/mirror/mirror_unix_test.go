//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"swop/account"
	"swop/home/rules"
	"swop/internal/testhome"
)

// A first reconcile makes what codex needs and nothing else, in either home.
func TestEngineFirst(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	w.settings.Private.CodexHome = nil
	w.do(`start rest`)
	dirs, files := rules.CodexHomeRules(nil, account.StateShared).Ahead()
	for _, name := range slices.Concat(dirs, files) {
		if target, err := os.Readlink(filepath.Join(w.codex("a"), name)); err != nil || target != filepath.Join(w.shared, name) {
			t.Errorf("%s leads to %q, %v, want the shared one", name, target, err)
		}
	}
	entries, err := os.ReadDir(w.shared)
	if len(entries) != len(dirs) || err != nil {
		t.Errorf("the shared home holds %v, %v, want %q", entries, err, dirs)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s was made with %v, %v, want 0700", entry.Name(), info.Mode(), err)
		}
	}
}
