//go:build unix

package manager

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/config"
)

// pairOfCredentials is a world in which both accounts have the shared .credentials.json, and know it.
func pairOfCredentials(t testing.TB) (w *world, a, b string) {
	w = newWorld(t, scratch(t), "a", "b")
	shareFile(t, w, ".credentials.json", "old")
	return w, filepath.Join(w.codex("a"), ".credentials.json"), filepath.Join(w.codex("b"), ".credentials.json")
}

// One account replaces the file, another writes it in place, as codex up to 0.148 does: both versions are kept.
func TestEngineCredentialsReplacedAndWritten(t *testing.T) {
	w, a, b := pairOfCredentials(t)
	replaceFile(t, a, "by a")
	putText(t, b, "written by b")
	noError(t, w.settle())
	for _, text := range []string{"by a", "written by b"} {
		if !holdsText(text, w.home, w.store.Root) {
			t.Errorf("%q is lost", text)
		}
	}
}

// One account removes the file, and then another writes it in place: a login that came after the removal is kept.
func TestEngineCredentialsRemovedThenWritten(t *testing.T) {
	w, a, b := pairOfCredentials(t)
	noError(t, os.Remove(a))
	tick(t)
	putText(t, b, "written by b")
	noError(t, w.settle())
	if !holdsText("written by b", w.home, w.store.Root) {
		t.Error("what b wrote is lost")
	}
}

// A temporary file that was adopted becomes .credentials.json.
func TestEngineCredentialsByAdoptedTemporary(t *testing.T) {
	w, a, b := pairOfCredentials(t)
	tmp := filepath.Join(w.codex("a"), ".tmpAbC")
	putText(t, tmp, "new")
	noError(t, w.settle())
	noError(t, os.Rename(tmp, a))
	noError(t, w.settle())
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
	noError(t, w.settle())
	if exists(a) {
		t.Error("a private file is the shared one")
	}
	putText(t, a, "private to a")
	putText(t, b, "shared by b")
	noError(t, w.settle())
	wantText(t, a, "private to a")
	wantText(t, shared, "shared by b")
	w.settings.Accounts = nil // what was private stays so
	noError(t, w.settle())
	wantText(t, a, "private to a")
	wantText(t, shared, "shared by b")
	noError(t, os.Remove(a))
	noError(t, w.settle())
	wantText(t, a, "shared by b")
	noError(t, w.reconcile("a", silent)) // a look at what the last one did
	if kept, err := w.store.Kept(w.accounts["a"], w.settings); len(kept) > 0 || err != nil {
		t.Errorf("Kept = %q, %v, want none: it is shared again", kept, err)
	}
}

// A temporary file that was adopted becomes a private one: it comes back, and nobody else sees it.
func TestEnginePrivateByAdoptedTemporary(t *testing.T) {
	w := newWorld(t, scratch(t), "a", "b")
	tmp := filepath.Join(w.codex("a"), ".tmpAbC")
	putText(t, tmp, "account and user id of a")
	noError(t, w.reconcile("a", busy))
	noError(t, w.reconcile("a", busy))
	noError(t, os.Rename(tmp, filepath.Join(w.codex("a"), "cloud-requirements-cache.json")))
	noError(t, w.settle())
	wantText(t, filepath.Join(w.codex("a"), "cloud-requirements-cache.json"), "account and user id of a")
	if holdsText("account and user id of a", w.home, w.codex("b")) {
		t.Error("the account's own is shared")
	}
}

// What stayed private is removed, and the shared one is shown again: then a program that replaces the link changes the shared one.
func TestEngineKeptThenShared(t *testing.T) {
	w := newWorld(t, scratch(t), "a")
	private, own := w.settings.Private.CodexHome, filepath.Join(w.codex("a"), "notes")
	w.settings.Private.CodexHome = append([]string{"notes"}, private...)
	putText(t, own, "private to a")
	putText(t, filepath.Join(w.shared, "notes"), "shared")
	noError(t, w.settle())
	w.settings.Private.CodexHome = private
	noError(t, w.settle())
	wantText(t, own, "private to a")
	noError(t, os.Remove(own))
	for range 2 {
		noError(t, w.reconcile("a", silent))
	}
	wantText(t, own, "shared")
	tick(t)
	replaceFile(t, own, "new")
	noError(t, w.settle())
	wantText(t, filepath.Join(w.shared, "notes"), "new")
}

// A pattern that made an entry private goes: the entry stays the account's own, and the shared one is not replaced by it.
func TestEngineNoLongerPrivatePatternStaysOwn(t *testing.T) {
	for _, pattern := range []string{"notes", "n*"} {
		t.Run(strings.ReplaceAll(pattern, "*", "star"), func(t *testing.T) {
			w := newWorld(t, scratch(t), "a", "b")
			private := w.settings.Private.CodexHome
			w.settings.Private.CodexHome = append([]string{pattern}, private...)
			putText(t, filepath.Join(w.codex("a"), "notes"), "private to a")
			shareFile(t, w, "notes", "shared")
			w.settings.Private.CodexHome = private
			noError(t, w.settle())
			wantText(t, filepath.Join(w.codex("a"), "notes"), "private to a")
			wantText(t, filepath.Join(w.shared, "notes"), "shared")
			if holdsText("private to a", w.home) {
				t.Error("what was private is shared")
			}
		})
	}
}
