//go:build unix

package projection

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/testhome"
	"swop/manager/disk"
	"swop/manager/stamp"
)

// Each test here is one thing that a program may do, and what must be true then. All were found by the random test, or by thinking of
// what it does not play.

// shareFile puts a file into the shared home and lets all accounts link it, a clock tick ago.
func shareFile(t testing.TB, w *testWorld, name, text string) {
	t.Helper()
	testhome.PutText(t, filepath.Join(w.shared, name), text)
	testhome.Tick(t)
	for _, key := range w.keys() {
		testhome.NoError(t, w.reconcile(key, busy))
	}
	testhome.Tick(t)
}

func wantText(t testing.TB, file, want string) {
	t.Helper()
	if got := testhome.TextOf(file); got != want {
		t.Errorf("%s is %q, want %q", filepath.Base(file), got, want)
	}
}

// mv config.toml config.toml.bak, and a new config.toml: the backup is kept, as without links.
func TestEngineBackupByRenameIsKept(t *testing.T) {
	for _, name := range []string{"config.toml", "notes"} {
		w := newWorld(t, testhome.Scratch(t), "a", "b")
		shareFile(t, w, name, "old")
		own := filepath.Join(w.codex("a"), name)
		testhome.NoError(t, os.Rename(own, own+".bak"))
		testhome.PutText(t, own, "new")
		testhome.NoError(t, w.settle())
		wantText(t, filepath.Join(w.codex("b"), name), "new")
		wantText(t, filepath.Join(w.codex("b"), name+".bak"), "old")
	}
}

// mv notes old, mv todo notes: each link follows its file, whatever the order of the names.
func TestEngineRenamesInAChain(t *testing.T) {
	for _, first := range []string{"a-old", "z-old"} {
		w := newWorld(t, testhome.Scratch(t), "a", "b")
		shareFile(t, w, "notes", "of notes")
		shareFile(t, w, "todo", "of todo")
		own := w.codex("a")
		testhome.NoError(t, os.Rename(filepath.Join(own, "notes"), filepath.Join(own, first)))
		testhome.NoError(t, os.Rename(filepath.Join(own, "todo"), filepath.Join(own, "notes")))
		testhome.NoError(t, w.settle())
		wantText(t, filepath.Join(w.codex("b"), first), "of notes")
		wantText(t, filepath.Join(w.codex("b"), "notes"), "of todo")
	}
}

// A temporary file with a fixed name: adopted, renamed, and written anew before anyone looked again.
func TestEngineTemporaryNameIsReused(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a", "b")
	shareFile(t, w, "notes", "first")
	tmp := filepath.Join(w.codex("a"), "notes.new")
	testhome.PutText(t, tmp, "second")
	testhome.NoError(t, w.reconcile("a", busy))
	testhome.NoError(t, w.reconcile("a", busy)) // adopted in mid-flight
	testhome.Tick(t)
	testhome.NoError(t, w.reconcile("a", busy))
	testhome.Tick(t)
	testhome.NoError(t, os.Rename(tmp, filepath.Join(w.codex("a"), "notes")))
	testhome.PutText(t, tmp, "third")
	testhome.NoError(t, w.settle())
	wantText(t, filepath.Join(w.shared, "notes"), "second")
	wantText(t, filepath.Join(w.shared, "notes.new"), "third")
}

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
	testhome.NoError(t, os.Symlink(filepath.Join(w.home, "projects"), filepath.Join(w.accounts["a"].Home(), "p")))
	testhome.NoError(t, w.reconcile("a", busy))
	wantText(t, filepath.Join(w.home, "projects", "file"), "text")
}

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

// Two programs make the same file, empty, and go on writing to it through their descriptors. The one in the sandbox may be the
// background server, which runs while the account rests.
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
					t.Errorf("%s, mood %d: %q is lost", name, m, text)
				}
			}
		}
	}
}

// A program replaces a link by a link of its own into the home that it sees: what is shared must not point into the sandbox.
func TestEngineReplacingLinkIsRetargeted(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	w.settings.Isolation = config.IsolateHome
	shareFile(t, w, "config.toml", "old")
	testhome.NoError(t, os.MkdirAll(filepath.Join(w.home, "dotfiles"), 0o700))
	testhome.PutText(t, filepath.Join(w.home, "dotfiles", "config.toml"), "dotfile")
	own := filepath.Join(w.codex("a"), "config.toml")
	testhome.NoError(t, os.Remove(own))
	testhome.NoError(t, os.Symlink(filepath.Join(w.accounts["a"].Home(), "dotfiles", "config.toml"), own))
	testhome.NoError(t, w.settle())
	target, err := os.Readlink(filepath.Join(w.shared, "config.toml"))
	if want := filepath.Join(w.home, "dotfiles", "config.toml"); err != nil || target != want {
		t.Errorf("the shared link points to %q, %v, want %q", target, err, want)
	}
}

// Two databases are displaced in one second: each log stays beside its own database, under the name that SQLite looks for.
func TestEngineDisplacedDatabasesKeepTheirLogs(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a", "b")
	putDatabase(t, w.shared, "<0>")
	for _, text := range []string{"<1>", "<2>"} {
		testhome.NoError(t, os.RemoveAll(filepath.Join(w.codex("a"), databaseName)))
		putDatabase(t, w.codex("a"), text)
		testhome.NoError(t, w.settle())
	}
	if stray := w.strayLogs(); len(stray) > 0 {
		t.Errorf("logs without their database: %q", stray)
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

// rm config.toml, ln -s dotfiles/config.toml config.toml: many file systems give the new link the inode of the one that is gone, which was ours.
func TestEngineLinkWithTheInodeOfOurs(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "config.toml", "old")
	own, dotfile := filepath.Join(w.codex("a"), "config.toml"), filepath.Join(w.home, "dotfile")
	testhome.PutText(t, dotfile, "dotfile")
	testhome.NoError(t, os.Remove(own))
	testhome.NoError(t, os.Symlink(dotfile, own))
	w.changeBaseline("a", func(m *baseline) {
		mark := m.view("codex").Links[`"config.toml"`]
		mark.Ino = inodeOf(own)
		m.view("codex").link("config.toml", mark)
	})
	testhome.NoError(t, w.settle())
	wantText(t, own, "dotfile")
	if !testhome.HoldsText("old", w.displaced()) {
		t.Error("what the dotfile replaced is lost")
	}
}

// changeBaseline changes what the last look at the account saw.
func (w *testWorld) changeBaseline(key string, change func(*baseline)) {
	w.t.Helper()
	stampText := stamp.OpenStamp(w.accounts[key])
	defer stampText.Close()
	m := baselineOf(stampText)
	change(m)
	body, err := m.body()
	testhome.NoError(w.t, err)
	testhome.NoError(w.t, stamp.WriteStamp(w.accounts[key], stampText.Header, body))
}

// mv notes elsewhere, and a new notes: what the link stood for that was moved is kept, wherever in the homes that is. A directory on the
// way to it does not change.
func TestEngineLinkMovedAnywhereKeepsItsFile(t *testing.T) {
	for _, to := range []string{"home/.codex/deep/in/notes", "home/notes.bak", "home/other/in/notes", "user/other/in/notes"} {
		w := newWorld(t, testhome.Scratch(t), "a")
		w.settings.Isolation = config.IsolateHome
		for _, dir := range []string{filepath.Join(w.shared, "deep", "in"), filepath.Join(w.home, "other", "in")} {
			testhome.NoError(t, os.MkdirAll(dir, 0o700))
		}
		shareFile(t, w, "notes", "old")
		own := filepath.Join(w.codex("a"), "notes")
		above := w.accounts["a"].Dir
		if strings.HasPrefix(to, "user/") {
			above = filepath.Dir(w.home)
		}
		testhome.NoError(t, os.Rename(own, filepath.Join(above, to)))
		testhome.PutText(t, own, "new")
		testhome.NoError(t, w.settle())
		wantText(t, own, "new")
		if !testhome.HoldsText("old", w.home, w.store.Root) {
			t.Errorf("moved to %s: what the link stood for is lost", to)
		}
	}
}

// Among more directories than are searched, the one that the link was moved into is known by its having changed.
func TestEngineLinkMovedAmongManyKeepsItsFile(t *testing.T) {
	w := newWorld(t, testhome.Scratch(t), "a")
	for i := range maxSearched + 10 {
		testhome.NoError(t, os.MkdirAll(filepath.Join(w.shared, "many", strconv.Itoa(i)), 0o700))
	}
	testhome.NoError(t, os.Mkdir(filepath.Join(w.shared, "many", "x"), 0o700)) // the last one, by its name
	shareFile(t, w, "notes", "old")
	own := filepath.Join(w.codex("a"), "notes")
	testhome.NoError(t, os.Rename(own, filepath.Join(w.codex("a"), "many", "x", "notes")))
	testhome.PutText(t, own, "new")
	testhome.NoError(t, w.settle())
	if !testhome.HoldsText("old", w.home, w.store.Root) {
		t.Error("what the link stood for is lost")
	}
}
