//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/testhome"
)

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
func TestEnginePinnedThenShared(t *testing.T) {
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

// An entry that was made under a pattern, and that no scan saw before the pattern went, stays the account's own too.
func TestEngineMadeUnderPatternStaysOwn(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	private, own := w.settings.Private.CodexHome, filepath.Join(w.codex("a"), "notes")
	w.settings.Private.CodexHome = append([]string{"n*"}, private...)
	testhome.NoError(t, w.settle())
	testhome.PutText(t, own, "private to a")
	w.settings.Private.CodexHome = private
	testhome.NoError(t, w.settle())
	wantText(t, own, "private to a")
	if testhome.HoldsText("private to a", w.home) {
		t.Error("what was private is shared")
	}
}
