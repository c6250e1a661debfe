package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// race is a program that acts right before one call of a reconcile.
type race struct {
	name     string
	start    func(w *testWorld, own, shared string)
	activity activity
	// The program acts before the first call that has before in it, after one that begins like after; skip of them come first.
	after, before string
	skip          int
	act           func(w *testWorld, own, shared string)
	want          []string // what must exist somewhere in the end
}

// racer is the program of one run.
type racer struct {
	race
	w            *testWorld
	ready, acted bool
	skipped      int
}

func (r race) program(w *testWorld) *racer { return &racer{race: r, w: w, ready: r.after == ""} }

// see is told of each call of the reconcile before it is made.
func (r *racer) see(call string) {
	if !r.acted && r.ready && strings.Contains(call, r.before) {
		if r.acted = r.skipped == r.skip; r.acted {
			r.act(r.w, r.w.codex("a"), r.w.shared)
		}
		r.skipped++
	}
	r.ready = r.ready || strings.HasPrefix(call, r.after)
}

func TestEngineRaces(t *testing.T) {
	s := newStepper(t)
	for _, r := range races {
		t.Run(r.name, func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a")
			own, shared := w.codex("a"), w.shared
			r.start(w, own, shared)
			program := r.program(w)
			_, err := s.run(func() error { return w.reconcile("a", max(r.activity, idle)) }, func(_ int, call string) unix.Errno {
				program.see(call)
				return 0
			})
			if err != nil {
				t.Errorf("Reconcile failed: %s", w.words(err.Error()))
			}
			if !program.acted {
				t.Fatalf("there is no call %q any more: the program never acted", r.before)
			}
			if stray := w.wrongLog(); stray != "" {
				t.Errorf("right after it the shared home has %s", stray)
			}
			wantHeld(t, w, r.want...)
			for _, line := range append(w.tree(shared), w.tree(w.kept())...) {
				if strings.Contains(line, " -> <shared>/") {
					t.Errorf("a link of ours was taken for a version: %s", line)
				}
			}
			if target, err := os.Readlink(filepath.Join(own, ".credentials.json")); err == nil {
				t.Errorf(".credentials.json is a link to %s, which codex does not open", w.words(target))
			}
			if stray := w.strayLogs(); len(stray) > 0 {
				t.Errorf("logs without their database: %q", stray)
			}
		})
	}
}

// wrongLog returns a log in the shared home that belongs to another database than the one beside it, "" if there is none.
func (w *testWorld) wrongLog() string {
	db, log := testhome.TextOf(filepath.Join(w.shared, databaseName)), testhome.TextOf(filepath.Join(w.shared, databaseName+"-wal"))
	if !strings.HasPrefix(db, "kept") || log == db+" log" {
		return ""
	}
	return "the database " + db + " and the log " + log
}

// temporaryBesideTwo has an adopted temporary file, and two versions of another.
func temporaryBesideTwo(w *testWorld, own, shared string) {
	testhome.PutText(w.t, filepath.Join(own, "notes.new"), "kept 1")
	w.reconcileAfterTick()
	testhome.PutText(w.t, filepath.Join(own, "notes"), "kept 2")
	testhome.PutText(w.t, filepath.Join(shared, "notes"), "kept 3")
	setTimes(w.t, filepath.Join(shared, "notes"), time.Now().Add(-time.Hour))
	testhome.NoError(w.t, os.Remove(filepath.Join(shared, "skills")))
}

// renameTemporaryToNotes is a program that replaces notes, and begins the next version.
func renameTemporaryToNotes(w *testWorld, own, _ string) {
	testhome.NoError(w.t, os.Rename(filepath.Join(own, "notes.new"), filepath.Join(own, "notes")))
	testhome.PutText(w.t, filepath.Join(own, "notes.new"), "kept 4")
}

// renamedOverGone leaves a link whose shared entry is gone.
func renamedOverGone(w *testWorld, own, shared string) {
	testhome.PutText(w.t, filepath.Join(shared, "config.toml"), "kept 1")
	testhome.PutText(w.t, filepath.Join(shared, "notes"), "removed")
	w.reconcileAfterTick()
	testhome.NoError(w.t, errors.Join(os.Remove(filepath.Join(shared, "notes")), os.Remove(filepath.Join(shared, "skills"))))
}

// renameConfigToNotes is a program that keeps its configuration under another name and makes a new one.
func renameConfigToNotes(w *testWorld, own, _ string) {
	testhome.NoError(w.t, os.Rename(filepath.Join(own, "config.toml"), filepath.Join(own, "notes")))
	testhome.PutText(w.t, filepath.Join(own, "config.toml"), "kept 2")
}

// privateCredentials shares the file, and then has it private to the account.
func privateCredentials(w *testWorld, _, shared string) {
	testhome.PutText(w.t, filepath.Join(shared, ".credentials.json"), "kept 1")
	testhome.NoError(w.t, w.reconcile("a", noProcesses))
	w.settings.Private.CodexHome = append([]string{".credentials.json"}, w.settings.Private.CodexHome...)
}

// What a program puts in the place of an entry at the moment at which that is taken out goes back, and is judged by itself.
func TestEngineForeignEntryGoesBack(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	shareFile(t, w, "notes", "kept 1")
	notes := filepath.Join(w.codex("a"), "notes")
	replaceFile(t, notes, "kept 2")
	program := race{before: "rename notes to notes", act: func(*testWorld, string, string) { replaceFile(t, notes, "kept 3") }}.program(w)
	_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
		program.see(call)
		return 0
	})
	testhome.NoError(t, err)
	if !program.acted {
		t.Fatal("the program never acted")
	}
	wantText(t, notes, "kept 3")
	wantHeld(t, w, "kept 1", "kept 3") // the program itself replaced the other
}
