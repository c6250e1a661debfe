package mirror

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// race is a program that acts right before one call of a reconcile.
type race struct {
	name     string
	start    string
	activity activity
	old      bool // on an old file system, see [onOldFileSystem]
	// The program acts before the first call that has before in it, after one that begins like after; skip of them come first, and those before
	// which there is something at free. At the next such call it does again.
	after, before, free string
	skip                int
	act, again          string
	at                  string // what must be true after the reconcile
	want                string // what must be true in the end
}

// racer is the program of one run.
type racer struct {
	race
	w       *testWorld
	ready   bool
	skipped int
	left    []string // what it has still to do
}

func (r race) program(w *testWorld) *racer {
	left := []string{r.act}
	if r.again != "" {
		left = append(left, r.again)
	}
	return &racer{race: r, w: w, ready: r.after == "", left: left}
}

// see is told of each call of the reconcile before it is made.
func (r *racer) see(call string) {
	free := r.free == "" || !testhome.Exists(os.Expand(r.free, r.w.place))
	if len(r.left) > 0 && r.ready && free && strings.Contains(call, r.before) {
		if r.skipped >= r.skip {
			r.w.do(r.left[0])
			r.left = r.left[1:]
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
			w.do(r.start)
			program := r.program(w)
			calls := func(*fault) step {
				return func(_ int, call string) unix.Errno { program.see(call); return 0 }
			}
			if r.old {
				calls = onOldFileSystem(calls)
			}
			_, err := s.run(func() error { return w.reconcile("a", max(r.activity, idle)) }, calls(nil))
			if err != nil {
				t.Errorf("Reconcile failed: %s", w.words(err.Error()))
			}
			if len(program.left) > 0 {
				t.Fatalf("there is no call %q any more: the program never acted", r.before)
			}
			if stray := w.wrongLog(); stray != "" {
				t.Errorf("right after it the shared home has %s", stray)
			}
			w.do(r.at)
			testhome.NoError(t, w.settle())
			w.do(r.want)
			w.do("logs-beside-databases")
			for _, wrong := range slices.Concat(w.leftovers(), w.linksKept()) {
				if !r.old { // where an exchange is three renames, a link may be kept, too
					t.Error(wrong)
				}
			}
			if target, err := os.Readlink(filepath.Join(w.codex("a"), ".credentials.json")); err == nil {
				t.Errorf(".credentials.json is a link to %s, which codex does not open", w.words(target))
			}
		})
	}
}

// TestEngineRacesKilled is TestEngineRaces, with the reconcile killed before each of the calls that follow the program's act. No process is asked
// for: that would be each of this machine, in every run, and changes nothing.
func TestEngineRacesKilled(t *testing.T) {
	s := newStepper(t)
	for _, r := range races {
		if r.old || r.at != "" {
			continue // what must be true at once does not hold where it is killed
		}
		t.Run(r.name, func(t *testing.T) {
			for f := range faults(testhome.Points(t, 16)) {
				w := newWorld(t, testhome.Scratch(t), "a")
				w.do(r.start)
				program, kill := r.program(w), f.kill()
				_, _ = s.run(func() error { return w.reconcile("a", noProcesses) }, func(n int, call string) unix.Errno { // its errors are our own
					if program.see(call); len(program.left) > 0 {
						return 0
					}
					return kill(n, call)
				})
				testhome.NoError(t, w.settle())
				w.do(r.want)
				for _, wrong := range slices.Concat(w.leftovers(), w.linksKept()) {
					t.Errorf("%s: %s", w.words(f.log), wrong)
				}
			}
		})
	}
}

// linksKept returns the links of ours that were taken for versions.
func (w *testWorld) linksKept() (wrong []string) {
	for _, line := range w.tree(w.kept()) {
		if strings.Contains(line, " -> <shared>/") {
			wrong = append(wrong, "a link of ours was taken for a version: "+line)
		}
	}
	return wrong
}

// wrongLog returns a log in the shared home that belongs to another database than the one beside it, "" if there is none.
func (w *testWorld) wrongLog() string {
	db, log := testhome.TextOf(filepath.Join(w.shared, databaseName)), testhome.TextOf(filepath.Join(w.shared, databaseName+"-wal"))
	if !strings.HasPrefix(db, "kept") || log == db+" log" {
		return ""
	}
	return "the database " + db + " and the log " + log
}
