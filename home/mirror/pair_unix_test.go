//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/home/history"
	"swop/home/journal"
	"swop/home/pinned"
	"swop/internal/testhome"
)

// pairOfCredentials is a world in which both accounts have the shared .credentials.json, and both baselines know it.
func pairOfCredentials(t testing.TB) (w *testWorld, a, b string) {
	w = newWorld(t, testhome.Scratch(t), "a", "b")
	shareFile(t, w, ".credentials.json", "old")
	return w, filepath.Join(w.codex("a"), ".credentials.json"), filepath.Join(w.codex("b"), ".credentials.json")
}

// One account replaces the file, another writes it in place, as codex up to 0.148 does: both versions are kept.
func TestEngineCredentialsReplacedAndWritten(t *testing.T) {
	w, a, b := pairOfCredentials(t)
	replaceFile(t, a, "by a")
	testhome.PutText(t, b, "written by b")
	testhome.NoError(t, w.settle())
	for _, text := range []string{"by a", "written by b"} {
		if !testhome.HoldsText(text, w.home, w.store.Root) {
			t.Errorf("%q is lost", text)
		}
	}
}

// What must be kept cannot be: that is said, even where the entry itself is as it should be by then. The next run keeps it.
func TestEngineCredentialsCannotBeKept(t *testing.T) {
	w, a, b := pairOfCredentials(t)
	kept := filepath.Join(w.store.Root, history.RootDir)
	testhome.NoError(t, os.RemoveAll(kept))
	testhome.PutText(t, kept, "no directory")
	replaceFile(t, a, "by a")
	testhome.PutText(t, b, "written by b")
	testhome.NoError(t, w.reconcile("a", noProcesses))
	if len(w.said) != 1 || !strings.Contains(w.said[0], "is not a directory") {
		t.Errorf("said is %q, want that %s is not a directory", w.said, kept)
	}
	testhome.NoError(t, os.Remove(kept))
	testhome.NoError(t, w.settle())
	for _, text := range []string{"by a", "written by b"} {
		if !testhome.HoldsText(text, w.home, w.store.Root) {
			t.Errorf("%q is lost", text)
		}
	}
	if testhome.Exists(filepath.Join(w.accounts["a"].Dir, journal.MovesDir)) {
		entries, err := os.ReadDir(filepath.Join(w.accounts["a"].Dir, journal.MovesDir))
		if len(entries) > 0 || err != nil {
			t.Errorf("%d moves are left (%v)", len(entries), err)
		}
	}
}

// One account removes the file, and then another writes it in place: a login that came after the removal is kept.
func TestEngineCredentialsRemovedThenWritten(t *testing.T) {
	w, a, b := pairOfCredentials(t)
	testhome.NoError(t, os.Remove(a))
	testhome.Tick(t)
	testhome.PutText(t, b, "written by b")
	testhome.NoError(t, w.settle())
	if !testhome.HoldsText("written by b", w.home, w.store.Root) {
		t.Error("what b wrote is lost")
	}
}

// A temporary file that was adopted becomes .credentials.json.
func TestEngineCredentialsByAdoptedTemporary(t *testing.T) {
	w, a, b := pairOfCredentials(t)
	tmp := filepath.Join(w.codex("a"), ".tmpAbC")
	testhome.PutText(t, tmp, "new")
	testhome.NoError(t, w.settle())
	testhome.NoError(t, os.Rename(tmp, a))
	testhome.NoError(t, w.settle())
	wantText(t, a, "new")
	wantText(t, b, "new")
}

// A pattern makes the file private to one account: that one shares it no more, as it would a link, and what it writes then is its own.
func TestEngineCredentialsPrivateByPattern(t *testing.T) {
	w, a, b := pairOfCredentials(t)
	shared := filepath.Join(w.shared, ".credentials.json")
	w.settings.Accounts = map[string]config.AccountSettings{"a": {Private: config.Private{CodexHome: []string{".cred*"}}}}
	if found := w.findings("a"); len(found) != 1 {
		t.Errorf("a scan finds %q, want that it is still shared", found)
	}
	testhome.NoError(t, w.settle())
	if testhome.Exists(a) {
		t.Error("a private file is the shared one")
	}
	testhome.PutText(t, a, "private to a")
	testhome.PutText(t, b, "shared by b")
	testhome.NoError(t, w.settle())
	wantText(t, a, "private to a")
	wantText(t, shared, "shared by b")
	w.settings.Accounts = nil // what was private stays so
	testhome.NoError(t, w.settle())
	wantText(t, a, "private to a")
	wantText(t, shared, "shared by b")
	testhome.NoError(t, os.Remove(a))
	testhome.NoError(t, w.settle())
	wantText(t, a, "shared by b")
	testhome.NoError(t, w.reconcile("a", noProcesses)) // it sees what the last one did
	if kept, err := pinned.List(w.store.Layout, w.accounts["a"], w.settings); len(kept) > 0 || err != nil {
		t.Errorf("Kept = %q, %v, want none: it is shared again", kept, err)
	}
}
