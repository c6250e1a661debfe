//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"testing"

	"swop/config"
	"swop/internal/testhome"
)

// A user's own link to a shared entry by its real path is no link of ours that went wrong.
func TestEngineLinkByUserToSharedEntryStays(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a", "b")
	shareFile(t, w, "notes", "text")
	testhome.NoError(t, os.Symlink(filepath.Join(w.shared, "notes"), filepath.Join(w.codex("a"), "alias")))
	testhome.NoError(t, w.settle())
	wantText(t, filepath.Join(w.codex("a"), "alias"), "text")
	wantText(t, filepath.Join(w.codex("b"), "alias"), "text")
}

// The same where the entry is so new that the sandbox has no link to it: nothing of the user's is renamed.
func TestEngineLinkByUserRenamesNothing(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	w.settings.Isolation = config.IsolateHome
	testhome.NoError(t, w.reconcile("a", busy))
	testhome.NoError(t, os.Mkdir(filepath.Join(w.home, "projects"), 0o700))
	testhome.PutText(t, filepath.Join(w.home, "projects", "file"), "text")
	testhome.NoError(t, os.Symlink(filepath.Join(w.home, "projects"), filepath.Join(w.sandboxHome("a"), "p")))
	testhome.NoError(t, w.reconcile("a", busy))
	wantText(t, filepath.Join(w.home, "projects", "file"), "text")
}

// ln config.toml config.toml.bak: the new name is another one of our link, which no program renamed.
func TestEngineHardLinkOfLinkRenamesNothing(t *testing.T) {
	for _, during := range []activity{busy, noProcesses} {
		w := newWorld(t, testhome.Scratch(t), "a")
		shareFile(t, w, "config.toml", "text")
		own := filepath.Join(w.codex("a"), "config.toml")
		testhome.NoError(t, os.Link(own, own+".bak"))
		for range 3 {
			testhome.NoError(t, w.reconcile("a", during))
			wantText(t, own, "text")
			wantText(t, own+".bak", "text")
		}
		testhome.NoError(t, w.settle())
		for _, dir := range []string{w.shared, w.codex("a")} {
			wantText(t, filepath.Join(dir, "config.toml"), "text")
			wantText(t, filepath.Join(dir, "config.toml.bak"), "text")
		}
	}
}

// rm config.toml, ln -s dotfiles/config.toml config.toml: the new link is the user's, and what it replaces is kept.
func TestEngineLinkByUserInPlaceOfOurs(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "config.toml", "old")
	own, dotfile := filepath.Join(w.codex("a"), "config.toml"), filepath.Join(w.home, "dotfile")
	testhome.PutText(t, dotfile, "dotfile")
	testhome.NoError(t, os.Remove(own))
	testhome.NoError(t, os.Symlink(dotfile, own))
	testhome.NoError(t, w.settle())
	wantText(t, own, "dotfile")
	if !testhome.HoldsText("old", w.kept()) {
		t.Error("what the dotfile replaced is lost")
	}
}

// A link to itself is shared; its link is moved in a session, and its name taken by a file. The moved link goes on leading there.
func TestEngineLinkInACircle(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.NoError(t, os.Symlink(filepath.Join(w.shared, "todo"), filepath.Join(w.shared, "todo")))
	testhome.NoError(t, w.reconcile("a", noProcesses))
	own := filepath.Join(w.codex("a"), "todo")
	testhome.NoError(t, os.Link(own, filepath.Join(w.codex("a"), "auth.json")))
	testhome.NoError(t, os.Rename(own, own+".moved"))
	testhome.PutText(t, own, "text")
	testhome.NoError(t, w.settle())
	for _, dir := range []string{w.shared, w.codex("a")} {
		if _, err := os.Lstat(filepath.Join(dir, "auth.json")); err == nil {
			t.Errorf("the circle has the name of the login in %s", w.words(dir))
		}
	}
	wantText(t, filepath.Join(w.shared, "todo"), "text")
	wantText(t, filepath.Join(w.shared, "todo.moved"), "text")
}

// The copied link of a file that its owner may not read stays a link, and keeps nothing else from being repaired.
func TestEngineLinkToUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		return // root may read it; the suite runs as both
	}
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "notes", "text")
	shareFile(t, w, "more", "text")
	testhome.NoError(t, os.Chmod(filepath.Join(w.shared, "notes"), 0))
	own := w.codex("a")
	testhome.NoError(t, os.Link(filepath.Join(own, "notes"), filepath.Join(own, "notes.bak")))
	testhome.NoError(t, os.Link(filepath.Join(own, "more"), filepath.Join(own, "more.bak")))
	testhome.NoError(t, os.Link(filepath.Join(own, "notes"), filepath.Join(own, "auth.json")))
	for range 2 {
		testhome.NoError(t, w.reconcile("a", noProcesses))
	}
	wantText(t, filepath.Join(w.shared, "more.bak"), "text")
	if target, err := os.Readlink(filepath.Join(own, "notes.bak")); err != nil || target != filepath.Join(w.shared, "notes") {
		t.Errorf("the copied link leads to %q, %v", target, err)
	}
	if _, err := os.Lstat(filepath.Join(own, "auth.json")); err == nil {
		t.Error("a private name leads into the shared home")
	}
	replaceFile(t, filepath.Join(own, "notes"), "new")
	testhome.NoError(t, w.reconcile("a", noProcesses))
	wantText(t, filepath.Join(w.shared, "notes"), "new")
}

// A link of the user's that leads to another entry beside it was the shared version: what replaces it in a session is shared, and it is kept.
func TestEngineLinkByUserIsKept(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	target := filepath.Join(w.shared, "CLAUDE.md")
	testhome.PutText(t, target, "text")
	testhome.NoError(t, os.Symlink(target, filepath.Join(w.shared, "AGENTS.md")))
	testhome.NoError(t, w.reconcile("a", noProcesses))
	replaceFile(t, filepath.Join(w.codex("a"), "AGENTS.md"), "new")
	testhome.NoError(t, w.settle())
	wantText(t, filepath.Join(w.shared, "AGENTS.md"), "new")
	kept, err := filepath.Glob(filepath.Join(w.kept(), "*", "files", "AGENTS.md"))
	testhome.NoError(t, err)
	if len(kept) != 1 {
		t.Fatalf("kept is %q, want the link", kept)
	}
	if got, err := os.Readlink(kept[0]); err != nil || got != target {
		t.Errorf("what is kept leads to %q, %v, want %q", got, err, target)
	}
}

// ln -s ~/ h: the home itself is no entry of it.
func TestEngineLinkToHome(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	own := filepath.Join(w.codex("a"), "h")
	testhome.NoError(t, os.Symlink(w.shared+"/", own))
	testhome.NoError(t, w.settle())
	if got, err := os.Readlink(filepath.Join(w.shared, "h")); err != nil || got != w.shared+"/" {
		t.Errorf("the link leads to %q, %v", got, err)
	}
}

// A file got its second name in the shared home, and its run was killed. What replaces it there is later, although that changed its inode.
func TestEngineAdoptedThenReplaced(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.NoError(t, w.reconcile("a", noProcesses))
	own, shared := filepath.Join(w.codex("a"), "notes"), filepath.Join(w.shared, "notes")
	testhome.PutText(t, own, "old")
	testhome.NoError(t, os.Link(own, shared))
	testhome.Tick(t)
	testhome.PutText(t, shared+".tmp", "new")
	testhome.Tick(t)
	testhome.NoError(t, os.Rename(shared+".tmp", shared))
	testhome.NoError(t, w.settle())
	wantText(t, shared, "new")
	if !testhome.HoldsText("old", w.kept()) {
		t.Error("the other version is lost")
	}
}
