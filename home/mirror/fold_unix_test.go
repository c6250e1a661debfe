//go:build unix

package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/disk"
	"swop/internal/testhome"
)

// Each test here is one thing that a program may do, and what must be true then. The random test found some; the others are what it does not
// play.

// Codex up to 0.87 renames a new config.toml over the link in each run. Nobody else writes: there are no two versions.
func TestEngineReplacedInEachRunIsNoConflict(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "config.toml", "0")
	for _, text := range []string{"1", "2", "3"} {
		replaceFile(t, filepath.Join(w.codex("a"), "config.toml"), text)
		testhome.Tick(t)
		testhome.NoError(t, w.reconcile("a", idle)) // the next run's
		testhome.Tick(t)
		wantText(t, filepath.Join(w.shared, "config.toml"), text)
	}
	if len(w.said) > 0 {
		t.Errorf("said %q, want nothing", w.said)
	}
}

// A program replaces a link, and the shared file is changed after that: there are two versions, whatever starts came in between.
func TestEngineChangedAfterLinkWasReplaced(t *testing.T) {
	for starts := range 3 {
		w := newWorld(t, testhome.Scratch(t), "a")
		shareFile(t, w, "notes", "0")
		own := filepath.Join(w.codex("a"), "notes")
		replaceFile(t, own, "1")
		for _, text := range []string{"by another", "by another, again"} {
			testhome.PutText(t, filepath.Join(w.shared, "notes"), text)
			testhome.Tick(t)
			for range starts {
				testhome.NoError(t, w.reconcile("a", busy)) // it waits: it was written just now
				testhome.Tick(t)
			}
		}
		testhome.PutText(t, own, "2")
		testhome.Tick(t)
		testhome.NoError(t, w.reconcile("a", idle))
		wantText(t, filepath.Join(w.shared, "notes"), "2")
		if len(w.said) != 1 {
			t.Errorf("with %d starts in between, said %q, want that there are two versions", starts, w.said)
		}
		wantHeld(t, w, "by another, again")
	}
}

// A file is moved into a directory of dotfiles, and a link to there takes its place. What was moved is our link, which goes on leading to the
// shared file: that stays, and none leads to itself.
func TestEngineLinkToMovedLink(t *testing.T) {
	for name, target := range map[string]string{"relative": "dots/notes", "by its path": "", "by another link": "dots/more"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a", "b")
			testhome.NoError(t, os.Mkdir(filepath.Join(w.shared, "dots"), 0o700))
			shareFile(t, w, "notes", "text")
			own, dots := filepath.Join(w.codex("a"), "notes"), filepath.Join(w.codex("a"), "dots")
			testhome.NoError(t, os.Rename(own, filepath.Join(dots, "notes")))
			testhome.NoError(t, os.Symlink("notes", filepath.Join(dots, "more")))
			if target == "" {
				target = filepath.Join(dots, "notes")
			}
			testhome.NoError(t, os.Symlink(target, own))
			testhome.NoError(t, w.settle())
			for _, file := range []string{own, filepath.Join(dots, "notes"), filepath.Join(w.shared, "notes"), filepath.Join(w.codex("b"), "notes")} {
				wantText(t, file, "text")
			}
		})
	}
}

// A program replaces a file by an equal one that others may not read, or that can be run: that is a version of its own.
func TestEngineEqualFileOfAnotherMode(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o755} {
		w := newWorld(t, testhome.Scratch(t), "a", "b")
		shareFile(t, w, "notes", "text")
		shared, own := filepath.Join(w.shared, "notes"), filepath.Join(w.codex("a"), "notes")
		testhome.NoError(t, os.Chmod(shared, 0o644))
		replaceFile(t, own, "text")
		testhome.NoError(t, os.Chmod(own, mode))
		testhome.NoError(t, w.settle())
		if info, err := os.Stat(shared); err != nil || info.Mode().Perm() != mode {
			t.Errorf("the shared file has mode %v (%v), want %v", info.Mode(), err, mode)
		}
		wantText(t, filepath.Join(w.codex("b"), "notes"), "text")
	}
}

// A new file is adopted, then its program replaces it: the same.
func TestEngineReplacedAfterAdoptionIsNoConflict(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	own := filepath.Join(w.codex("a"), "notes")
	testhome.PutText(t, own, "1")
	testhome.Tick(t)
	testhome.NoError(t, w.reconcile("a", idle))
	testhome.Tick(t)
	replaceFile(t, own, "2")
	testhome.NoError(t, w.reconcile("a", idle))
	wantText(t, filepath.Join(w.shared, "notes"), "2")
	if len(w.said) > 0 {
		t.Errorf("said %q, want nothing", w.said)
	}
}

// Two programs make the same file, empty, and go on writing to it through their descriptors. The one in the sandbox may be the background
// server, which runs while the account is idle.
func TestEngineEqualFilesAreOpenOnBothSides(t *testing.T) {
	for _, m := range []activity{busy, idle} {
		for _, name := range []string{"log.txt", "sessions/rollout.jsonl"} {
			w := newWorld(t, testhome.Scratch(t), "a")
			testhome.NoError(t, w.reconcile("a", busy))
			testhome.NoError(t, os.Remove(filepath.Join(w.codex("a"), "sessions")))
			testhome.NoError(t, os.Mkdir(filepath.Join(w.codex("a"), "sessions"), 0o700))
			own, err := os.Create(filepath.Join(w.codex("a"), name))
			testhome.NoError(t, err)
			there, err := os.Create(filepath.Join(w.shared, name))
			testhome.NoError(t, err)
			testhome.NoError(t, w.reconcile("a", m))
			for file, text := range map[*os.File]string{own: "kept 1", there: "kept 2"} {
				_, err := file.WriteString(text)
				testhome.NoError(t, err)
				testhome.NoError(t, file.Close())
			}
			testhome.NoError(t, w.settle())
			for _, text := range []string{"kept 1", "kept 2"} {
				if !testhome.HoldsText(text, w.home, w.store.Root) {
					t.Errorf("%s, activity %d: %q is lost", name, m, text)
				}
			}
		}
	}
}

// A version that cannot be read is judged without its content, and stops nothing: as root this shows nothing.
func TestEngineUnreadableVersionStopsNothing(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "notes", "1234")
	own := filepath.Join(w.codex("a"), "notes")
	testhome.NoError(t, os.Remove(own))
	testhome.PutText(t, own, "5678")
	testhome.NoError(t, os.Chmod(own, 0))
	testhome.PutText(t, filepath.Join(w.shared, "other"), "text")
	if err := w.reconcile("a", busy); err != nil {
		t.Errorf("Reconcile failed: %v", err)
	}
	wantText(t, filepath.Join(w.codex("a"), "other"), "text")
}

// A program puts a link of its own, which leads nowhere, in the place of ours: it replaces nothing, and stops nothing.
func TestEngineLinkThatLeadsNowhere(t *testing.T) {
	for _, target := range []string{"/none", "/dev/null/below", "/" + strings.Repeat("x", disk.NameMax+1), "config.toml"} {
		w := newWorld(t, testhome.Scratch(t), "a")
		shareFile(t, w, "config.toml", "text")
		own := filepath.Join(w.codex("a"), "config.toml")
		testhome.NoError(t, os.Remove(own))
		testhome.NoError(t, os.Symlink(target, own))
		if err := w.settle(); err != nil {
			t.Errorf("a link to %.20q: %v", target, err)
		}
		wantText(t, own, "text")
	}
}
