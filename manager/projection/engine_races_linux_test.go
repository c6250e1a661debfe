package projection

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// race is one program that acts right before one call of a reconcile.
type race struct {
	name     string
	start    func(w *testWorld, own, shared string)
	activity activity
	// The program acts before the first call that has before in it, after one that begins like after; skip of them come first.
	after, before string
	skip          int
	act           func(w *testWorld, own, shared string)
	want          []string // what must be somewhere in the end
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
			for _, line := range append(w.tree(shared), w.tree(w.displaced())...) {
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

// wrongLog tells a log in the shared home that is that of another database than the one beside it.
func (w *testWorld) wrongLog() string {
	db, log := testhome.TextOf(filepath.Join(w.shared, databaseName)), testhome.TextOf(filepath.Join(w.shared, databaseName+"-wal"))
	if !strings.HasPrefix(db, "kept") || log == db+" log" {
		return ""
	}
	return "the database " + db + " and the log " + log
}

// What cannot be adopted is an error, not a silence: the stamp of such a look must not be written.
func TestEngineAdoptionThatFailsIsAnError(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.PutText(t, filepath.Join(w.codex("a"), "new"), "kept 1")
	_, err := s.run(func() error { return w.reconcile("a", idle) }, func(_ int, call string) unix.Errno {
		if strings.HasPrefix(call, "link new to") {
			return unix.ENOSPC
		}
		return 0
	})
	if err == nil {
		t.Error("Reconcile returned no error, want that of link(2)")
	}
	wantHeld(t, w, "kept 1")
}

// A mount whose server is gone lies beside a link that a program replaced: the search for the link passes it over.
func TestEngineDeadMountStopsNothing(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.NoError(t, os.Mkdir(filepath.Join(w.shared, "mount"), 0o700))
	shareFile(t, w, "notes", "old")
	replaceFile(t, filepath.Join(w.codex("a"), "notes"), "new")
	met := false
	_, err := s.run(func() error { return w.reconcile("a", idle) }, func(_ int, call string) unix.Errno {
		if call != "stat mount" {
			return 0
		}
		met = true
		return unix.ENOTCONN
	})
	if err != nil || !met {
		t.Errorf("Reconcile = %v, the mount was looked at: %v, want no error and true", err, met)
	}
	wantText(t, filepath.Join(w.shared, "notes"), "new")
}

// A program renames the link of a mount point, which could not be renamed itself: it keeps its name, and stops nothing.
func TestEngineMountPointKeepsItsName(t *testing.T) {
	s := newStepper(t)
	for _, name := range []string{"other", "auth.d"} {
		w := newWorld(t, testhome.Scratch(t), "a")
		testhome.NoError(t, os.Mkdir(filepath.Join(w.shared, "mount"), 0o700))
		testhome.PutText(t, filepath.Join(w.shared, "mount", "file"), "text")
		w.reconcileAfterTick()
		testhome.NoError(t, os.Rename(filepath.Join(w.codex("a"), "mount"), filepath.Join(w.codex("a"), name)))
		for range 2 {
			_, err := s.run(func() error { return w.reconcile("a", idle) }, func(_ int, call string) unix.Errno {
				if strings.HasPrefix(call, "rename mount to") {
					return unix.EBUSY
				}
				return 0
			})
			if err != nil {
				t.Errorf("Reconcile failed: %s", w.words(err.Error()))
			}
		}
		wantText(t, filepath.Join(w.codex("a"), "mount", "file"), "text")
		if testhome.Exists(filepath.Join(w.codex("a"), name)) || len(w.said) != 1 {
			t.Errorf("%s is still there, or said is %q, want one line", name, w.said)
		}
	}
}

// The shared log of a database goes, as it does when the last who has that open closes it, while it is compared with one that a run that
// was killed had left.
func TestEngineLogGoesWhileItIsCompared(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	testhome.PutText(t, filepath.Join(w.shared, databaseName), "db")
	w.reconcileAfterTick()
	log := databaseName + "-wal"
	testhome.PutText(t, filepath.Join(w.shared, log), "gone 1")
	testhome.PutText(t, filepath.Join(w.codex("a"), log), "kept 1")
	met := false
	_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
		if call == "open "+log && !met {
			met = true
			testhome.NoError(t, os.Remove(filepath.Join(w.shared, log)))
		}
		return 0
	})
	if err != nil || !met {
		t.Errorf("Reconcile = %v, it compared: %v, want no error and true", err, met)
	}
	testhome.NoError(t, w.settle())
	wantHeld(t, w, "kept 1")
}

// A link in a directory that is adopted is replaced while it is retargeted, and again while it is given back: the last version is kept.
func TestEngineRetargetedLinkIsReplacedTwice(t *testing.T) {
	s := newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a")
	link := filepath.Join(w.codex("a"), "proj", "link")
	testhome.NoError(t, os.Mkdir(filepath.Dir(link), 0o700))
	testhome.NoError(t, os.Symlink(filepath.Join(w.codex("a"), "x"), link))
	texts := []string{"replaced", "kept 1"}
	_, err := s.run(func() error { return w.reconcile("a", idle) }, func(_ int, call string) unix.Errno {
		if len(texts) > 0 && strings.HasSuffix(call, " to link (exchange)") {
			replaceFile(t, link, texts[0])
			texts = texts[1:]
		}
		return 0
	})
	if err != nil || len(texts) > 0 {
		t.Errorf("Reconcile = %v, %d replacements are left, want no error and none", err, len(texts))
	}
	wantHeld(t, w, "kept 1")
}
