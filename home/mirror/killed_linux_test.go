package mirror

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// startStates build homes whose repair takes more than one call. All that is written there must survive, but for what a program replaced:
// "replaced".
var startStates = map[string]func(w *testWorld, own, shared string){
	"adopt a file": func(w *testWorld, own, _ string) { testhome.PutText(w.t, filepath.Join(own, "new"), "kept 1") },
	"adopt a directory with links into the sandbox": func(w *testWorld, own, _ string) {
		dir := filepath.Join(own, "proj")
		testhome.NoError(w.t, os.MkdirAll(filepath.Join(dir, "deep"), 0o700))
		testhome.PutText(w.t, filepath.Join(dir, "file"), "kept 1")
		testhome.NoError(w.t, os.Symlink(filepath.Join(dir, "file"), filepath.Join(dir, "deep", "link")))
	},
	"a replaced link": func(w *testWorld, own, shared string) {
		testhome.PutText(w.t, filepath.Join(shared, "config.toml"), "replaced")
		w.reconcileAfterTick()
		replaceFile(w.t, filepath.Join(own, "config.toml"), "kept 1")
	},
	"two versions, the own one newer": func(w *testWorld, own, shared string) {
		testhome.PutText(w.t, filepath.Join(shared, "config.toml"), "kept 1")
		setTimes(w.t, filepath.Join(shared, "config.toml"), time.Now().Add(-time.Hour))
		testhome.PutText(w.t, filepath.Join(own, "config.toml"), "kept 2")
	},
	"two versions, the shared one newer": func(w *testWorld, own, shared string) {
		testhome.PutText(w.t, filepath.Join(shared, "config.toml"), "kept 1")
		setTimes(w.t, filepath.Join(shared, "config.toml"), time.Now().Add(time.Hour))
		testhome.PutText(w.t, filepath.Join(own, "config.toml"), "kept 2")
	},
	"a renamed link": func(w *testWorld, own, shared string) {
		testhome.PutText(w.t, filepath.Join(shared, "config.toml"), "replaced")
		testhome.PutText(w.t, filepath.Join(shared, ".config.new"), "kept 1")
		w.reconcileAfterTick()
		testhome.NoError(w.t, os.Rename(filepath.Join(own, ".config.new"), filepath.Join(own, "config.toml")))
	},
	"a renamed link over what another changed": func(w *testWorld, own, shared string) {
		testhome.PutText(w.t, filepath.Join(shared, ".config.new"), "kept 1")
		w.reconcileAfterTick()
		testhome.NoError(w.t, os.Rename(filepath.Join(own, ".config.new"), filepath.Join(own, "config.toml")))
		testhome.Tick(w.t)
		testhome.PutText(w.t, filepath.Join(shared, "config.toml"), "kept 2")
	},
	"directories to merge": func(w *testWorld, own, shared string) {
		for i, dir := range []string{own, shared} {
			testhome.NoError(w.t, os.MkdirAll(filepath.Join(dir, "sessions", "d"), 0o700))
			testhome.PutText(w.t, filepath.Join(dir, "sessions", "d", "both"), fmt.Sprintf("kept %d", i))
			testhome.PutText(w.t, filepath.Join(dir, "sessions", "d", "same"), "kept")
			testhome.PutText(w.t, filepath.Join(dir, "sessions", fmt.Sprint("one", i)), fmt.Sprintf("kept only %d", i))
		}
	},
	"new directories": func(w *testWorld, own, shared string) {
		w.reconcileAfterTick()
		for i, dir := range []string{own, shared} {
			testhome.NoError(w.t, os.MkdirAll(filepath.Join(dir, "conf", fmt.Sprint("app", i)), 0o700))
			testhome.PutText(w.t, filepath.Join(dir, "conf", fmt.Sprint("app", i), "file"), fmt.Sprintf("kept only %d", i))
		}
		testhome.NoError(w.t, os.Symlink(filepath.Join(own, "conf", "app0", "file"), filepath.Join(own, "conf", "link")))
	},
	"directories that do not merge": func(w *testWorld, own, shared string) {
		for i, dir := range []string{own, shared} {
			testhome.NoError(w.t, os.MkdirAll(filepath.Join(dir, "skills"), 0o700))
			testhome.PutText(w.t, filepath.Join(dir, "skills", "both"), fmt.Sprintf("kept %d", i))
		}
	},
	"a database": func(w *testWorld, own, _ string) { putDatabase(w.t, own, "kept 1") },
	"a database beside the shared one": func(w *testWorld, own, shared string) {
		putDatabase(w.t, own, "kept 1")
		putDatabase(w.t, shared, "kept 2")
	},
	"a newer database beside the shared one": func(w *testWorld, own, shared string) {
		putDatabase(w.t, shared, "kept 2")
		testhome.Tick(w.t)
		putDatabase(w.t, own, "kept 1")
	},
	"a renamed link to a shared home of long ago": moveShared,
	"a hard link to make": func(w *testWorld, own, _ string) {
		testhome.PutText(w.t, filepath.Join(own, ".credentials.json"), "kept 1")
	},
	"a hard link that was replaced": func(w *testWorld, own, shared string) {
		testhome.PutText(w.t, filepath.Join(shared, ".credentials.json"), "replaced")
		testhome.NoError(w.t, os.Link(filepath.Join(shared, ".credentials.json"), filepath.Join(own, ".credentials.json")))
		testhome.NoError(w.t, w.reconcile("a", noProcesses))
		replaceFile(w.t, filepath.Join(own, ".credentials.json"), "kept 1")
	},
	"two hard-linked files": func(w *testWorld, own, shared string) {
		testhome.PutText(w.t, filepath.Join(shared, ".credentials.json"), "kept 1")
		testhome.PutText(w.t, filepath.Join(own, ".credentials.json"), "kept 2")
		setTimes(w.t, filepath.Join(own, ".credentials.json"), time.Now().Add(-time.Hour)) // not now and then a tick later
	},
	"links that must go": func(w *testWorld, own, shared string) {
		w.root.Former = []string{formerHome}
		testhome.PutText(w.t, filepath.Join(shared, "notes"), "kept 1")
		for _, name := range []string{"notes", "gone", "auth.json"} {
			testhome.NoError(w.t, os.Symlink(filepath.Join(formerHome, name), filepath.Join(own, name)))
		}
	},
}

// moveShared moves the shared home after a program renamed a link into it.
func moveShared(w *testWorld, own, shared string) {
	testhome.PutText(w.t, filepath.Join(shared, "draft"), "kept 1")
	w.reconcileAfterTick()
	testhome.NoError(w.t, os.Rename(filepath.Join(own, "draft"), filepath.Join(own, "final")))
	testhome.NoError(w.t, os.Rename(shared, shared+".moved"))
	w.shareAt(shared + ".moved")
}

// reconcileAfterTick reconciles the account in a later clock tick than all that was written before.
func (w *testWorld) reconcileAfterTick() {
	testhome.Tick(w.t)
	testhome.NoError(w.t, w.reconcile("a", noProcesses))
}

// fault is what goes wrong in one run: at which call, whether it did, and the calls around it.
type fault struct {
	at  int
	met bool
	log string
}

// faults yields a fault for the call numbered first and every step-th after it, until one is not met: the run has no more calls.
func faults(first, step int) iter.Seq[*fault] {
	return func(yield func(*fault) bool) {
		for f := (&fault{at: first, met: true}); f.met; f.at += step {
			if f.met = false; !yield(f) {
				return
			}
		}
	}
}

// deny denies one call that changes something, the one numbered at.
func (f *fault) deny() step {
	changed := 0
	return func(_ int, call string) unix.Errno {
		if f.met || !changes(call) {
			return 0
		}
		if changed++; changed <= f.at {
			return 0
		}
		f.met, f.log = true, fmt.Sprintf("denied %q", call)
		return unix.EACCES
	}
}

// kill makes no more calls from the one numbered at on. Only calls that change something count: between two others nothing differs.
func (f *fault) kill() step {
	changed, last := 0, ""
	return func(_ int, call string) unix.Errno {
		if verb, _, _ := strings.Cut(call, " "); !f.met && (changes(call) || verb == "open" || verb == "utimes") {
			if changed == f.at {
				f.met, f.log = true, fmt.Sprintf("killed before %q, after %q", call, last)
			}
			changed++
			last = call
		}
		if f.met {
			return unix.EIO
		}
		return 0
	}
}

// fail lets the call numbered at fail, as on a full disk.
func (f *fault) fail() step {
	return func(n int, call string) unix.Errno {
		if n != f.at {
			return 0
		}
		f.met, f.log = true, fmt.Sprintf("failed: %q", call)
		return unix.ENOSPC
	}
}

// TestEngineKilled kills a reconcile before each of its calls in turn. The next one must complete the work as if nothing had happened.
func TestEngineKilled(t *testing.T) { eachCall(t, (*fault).kill) }

// TestEngineCallFails lets each call fail in turn. The reconcile may return the error; the next must complete.
func TestEngineCallFails(t *testing.T) { eachCall(t, (*fault).fail) }

func eachCall(t *testing.T, how func(*fault) step) { eachCallThen(t, how, (*testWorld).completes) }

// eachCallThen lets each call go wrong, and then tells what is wrong.
func eachCallThen(t *testing.T, how func(*fault) step, wrongs func(w, want *testWorld) []string) {
	s := newStepper(t)
	for name, start := range startStates {
		t.Run(name, func(t *testing.T) {
			dir := testhome.Scratch(t)
			want := newBroken(t, filepath.Join(dir, "want"), start)
			testhome.NoError(t, want.settle())
			told := map[string]bool{}
			for f := range faults(testhome.Points(t, 8)) {
				w := newBroken(t, filepath.Join(dir, fmt.Sprint(f.at)), start)
				_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, how(f))
				if err != nil && strings.HasPrefix(err.Error(), "panic") {
					t.Errorf("%s: %v", w.words(f.log), err)
				}
				for _, wrong := range wrongs(w, want) {
					if !told[wrong] {
						t.Errorf("%s: %s", w.words(f.log), wrong)
					}
					told[wrong] = true
				}
			}
		})
	}
}

func newBroken(t testing.TB, dir string, start func(w *testWorld, own, shared string)) *testWorld {
	w := newWorld(t, dir, "a")
	start(w, w.codex("a"), w.shared)
	return w
}

// completes reconciles once more, and returns what differs from want then. More may be kept than in want: to keep a version twice does
// no harm.
func (w *testWorld) completes(want *testWorld) (wrong []string) {
	if err := w.reconcile("a", noProcesses); err != nil {
		wrong = append(wrong, fmt.Sprintf("the next reconcile fails: %v", err))
	}
	if left := w.findings("a"); len(left) > 0 {
		wrong = append(wrong, fmt.Sprintf("the next reconcile leaves %v", left))
	}
	if err := w.settle(); err != nil {
		return append(wrong, err.Error())
	}
	wrong = append(wrong, w.lacks(want)...)
	for _, dir := range []func(*testWorld) string{func(w *testWorld) string { return w.home }, func(w *testWorld) string { return w.codex("a") }} {
		if got, wanted := w.tree(dir(w)), want.tree(dir(want)); !slices.Equal(got, wanted) {
			wrong = append(wrong, fmt.Sprintf("%s has\n%q, want\n%q", w.words(dir(w)), got, wanted))
		}
	}
	return wrong
}

// lacks returns what is in want and nowhere in w.
func (w *testWorld) lacks(want *testWorld) (wrong []string) {
	for _, text := range []string{"kept", "kept 1", "kept 2", "kept only 0", "kept only 1", "kept 1 log", "kept 2 log"} {
		if testhome.HoldsText(text, want.home, want.store.Root) && !testhome.HoldsText(text, w.home, w.store.Root) {
			wrong = append(wrong, fmt.Sprintf("%q is lost", text))
		}
	}
	return wrong
}
