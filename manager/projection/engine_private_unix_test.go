//go:build unix

package projection

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/testhome"
)

// pairOfCredentials is a world in which both accounts have the shared .credentials.json, and know it.
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
		t.Errorf("a look finds %q, want that it is shared still", found)
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
	testhome.NoError(t, w.reconcile("a", noProcesses)) // a look at what the last one did
	if kept, err := Pinned(w.store, w.accounts["a"], w.settings); len(kept) > 0 || err != nil {
		t.Errorf("Kept = %q, %v, want none: it is shared again", kept, err)
	}
}

// A temporary file that was adopted becomes a private one: it comes back, and nobody else sees it.
func TestEnginePrivateByAdoptedTemporary(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a", "b")
	tmp := filepath.Join(w.codex("a"), ".tmpAbC")
	testhome.PutText(t, tmp, "account and user id of a")
	testhome.NoError(t, w.reconcile("a", busy))
	testhome.NoError(t, w.reconcile("a", busy))
	testhome.NoError(t, os.Rename(tmp, filepath.Join(w.codex("a"), "cloud-requirements-cache.json")))
	testhome.NoError(t, w.settle())
	wantText(t, filepath.Join(w.codex("a"), "cloud-requirements-cache.json"), "account and user id of a")
	if testhome.HoldsText("account and user id of a", w.home, w.codex("b")) {
		t.Error("the account's own is shared")
	}
}

// What stayed private is removed, and the shared one is shown again: then a program that replaces the link changes the shared one.
func TestEngineKeptThenShared(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	private, own := w.settings.Private.CodexHome, filepath.Join(w.codex("a"), "notes")
	w.settings.Private.CodexHome = append([]string{"notes"}, private...)
	testhome.PutText(t, own, "private to a")
	testhome.PutText(t, filepath.Join(w.shared, "notes"), "shared")
	testhome.NoError(t, w.settle())
	w.settings.Private.CodexHome = private
	testhome.NoError(t, w.settle())
	wantText(t, own, "private to a")
	testhome.NoError(t, os.Remove(own))
	for range 2 {
		testhome.NoError(t, w.reconcile("a", noProcesses))
	}
	wantText(t, own, "shared")
	testhome.Tick(t)
	replaceFile(t, own, "new")
	testhome.NoError(t, w.settle())
	wantText(t, filepath.Join(w.shared, "notes"), "new")
}

// A pattern that made an entry private goes: the entry stays the account's own, and the shared one is not replaced by it.
func TestEngineNoLongerPrivatePatternStaysOwn(t *testing.T) {
	for _, pattern := range []string{"notes", "n*"} {
		t.Run(strings.ReplaceAll(pattern, "*", "star"), func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a", "b")
			private := w.settings.Private.CodexHome
			w.settings.Private.CodexHome = append([]string{pattern}, private...)
			testhome.PutText(t, filepath.Join(w.codex("a"), "notes"), "private to a")
			shareFile(t, w, "notes", "shared")
			w.settings.Private.CodexHome = private
			testhome.NoError(t, w.settle())
			wantText(t, filepath.Join(w.codex("a"), "notes"), "private to a")
			wantText(t, filepath.Join(w.shared, "notes"), "shared")
			if testhome.HoldsText("private to a", w.home) {
				t.Error("what was private is shared")
			}
		})
	}
}
