package mirror

import (
	"flag"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/internal/testhome"
)

// startStates build homes whose repair takes more than one call: scripts, see [testWorld.do]. All that is written there must survive, except for what
// a program replaced: "replaced".
var startStates = map[string]string{
	"adopt a file": `put $own/new kept 1`,
	"adopt a directory with links into the sandbox": `put $own/proj/file kept 1; mkdir $own/proj/deep; symlink $own/proj/file $own/proj/deep/link`,
	"a replaced link":                    `put $shared/config.toml replaced; tick; start rest; replace $own/config.toml kept 1`,
	"two versions, the own one newer":    `put $shared/config.toml kept 1; age $shared/config.toml 1h; put $own/config.toml kept 2`,
	"two versions, the shared one newer": `put $shared/config.toml kept 1; age $shared/config.toml -1h; put $own/config.toml kept 2`,
	"a renamed link":                     `put $shared/config.toml replaced; put $shared/.config.new kept 1; tick; start rest; mv $own/.config.new $own/config.toml`,
	"a renamed link over what another changed": `put $shared/.config.new kept 1; tick; start rest; mv $own/.config.new $own/config.toml; tick
		put $shared/config.toml kept 2`,
	"directories to merge": `put $own/sessions/d/both kept 0; put $own/sessions/d/same kept; put $own/sessions/one0 kept only 0
		put $shared/sessions/d/both kept 1; put $shared/sessions/d/same kept; put $shared/sessions/one1 kept only 1`,
	"new directories": `tick; start rest; put $own/conf/app0/file kept only 0; put $shared/conf/app1/file kept only 1
		symlink $own/conf/app0/file $own/conf/link`,
	"directories that do not merge":               `put $own/skills/both kept 0; put $shared/skills/both kept 1`,
	"a database":                                  `database $own kept 1`,
	"a database beside the shared one":            `database $own kept 1; database $shared kept 2`,
	"a newer database beside the shared one":      `database $shared kept 2; tick; database $own kept 1`,
	"a renamed link to a shared home of long ago": `put $shared/draft kept 1; tick; start rest; mv $own/draft $own/final; move-shared`,
	"a hard link to make":                         `put $own/.credentials.json kept 1`,
	"a hard link that was replaced": `put $shared/.credentials.json replaced; ln $shared/.credentials.json $own/.credentials.json; start rest
		replace $own/.credentials.json kept 1`,
	"two hard-linked files": `put $shared/.credentials.json kept 1; put $own/.credentials.json kept 2; age $own/.credentials.json 1h`,
	"links that must go": `former; put $shared/notes kept 1; symlink /former/.codex/notes $own/notes; symlink /former/.codex/gone $own/gone
		symlink /former/.codex/auth.json $own/auth.json`,
}

// Of these start states something is copied where the shared home is on another file system.
var copied = []string{"adopt a file", "adopt a directory with links into the sandbox", "a replaced link", "directories to merge", "a database"}

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

// kill makes no more calls from the one numbered at on. Only calls that change something count, or could: between two others nothing differs.
func (f *fault) kill() step {
	changed, last := 0, ""
	return func(_ int, call string) unix.Errno {
		verb, rest, _ := strings.Cut(call, " ")
		if opens := verb == "open" && !strings.HasPrefix(rest, "/proc/"); !f.met && (changes(call) || opens || verb == "utimes") {
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

// onOldFileSystem does what how does, on a file system without the flags of renameat2(2), as over a network: there an exchange takes three
// renames.
func onOldFileSystem(how func(*fault) step) func(*fault) step {
	return func(f *fault) step {
		goesWrong := how(f)
		return func(n int, call string) unix.Errno {
			if errno := goesWrong(n, call); errno != 0 {
				return errno
			}
			if needsFlag(call) {
				return unix.EINVAL
			}
			return 0
		}
	}
}

// onceRefused does what how does from the first call on that an old file system refuses: until then all is as on any other.
func onceRefused(how func(*fault) step) func(*fault) step {
	return onOldFileSystem(func(f *fault) step {
		goesWrong, refused := how(f), -1
		return func(n int, call string) unix.Errno {
			if refused >= 0 {
				return goesWrong(n-refused-1, call)
			}
			if needsFlag(call) {
				refused = n
			}
			return 0
		}
	})
}

// needsFlag reports whether a call of renameat2(2) is one that an old file system does not know.
func needsFlag(call string) bool {
	return strings.HasSuffix(call, " (exchange)") || strings.HasSuffix(call, " (no replace)")
}

// TestEngineKilled kills a reconcile before each of its calls in turn. The next one must complete the work as if nothing had happened.
func TestEngineKilled(t *testing.T) { eachCall(t, (*fault).kill, newStarted, (*testWorld).completes) }

// TestEngineCallFails lets each call fail in turn. The reconcile may return the error; the next must complete.
func TestEngineCallFails(t *testing.T) {
	eachCall(t, (*fault).fail, newStarted, (*testWorld).completes)
}

// On an old file system an exchange that is interrupted or undone leaves two versions and changes the times of both: the version that stays may be
// another one than usual. Neither is lost, and no link replaces a version.
func TestEngineOldFileSystem(t *testing.T) {
	t.Run("killed", func(t *testing.T) {
		eachCall(t, onceRefused((*fault).kill), newStarted, (*testWorld).completesAlike)
	})
	t.Run("call fails", func(t *testing.T) {
		eachCall(t, onceRefused((*fault).fail), newStarted, (*testWorld).completesAlike)
	})
}

// TestEngineDevices kills, and denies each change, across file systems.
func TestEngineDevices(t *testing.T) {
	t.Run("killed", func(t *testing.T) { eachCall(t, (*fault).kill, across(copied), (*testWorld).completesBesideLogs) })
	t.Run("denied", func(t *testing.T) { eachCall(t, (*fault).deny, across(copied[:4]), (*testWorld).completesAlike) })
}

// complete asks for what the ordinary run takes samples of, as .ci/nightly does.
var complete = flag.Bool("complete", false, "let every call of a reconcile go wrong where the ordinary run takes every third")

// callsTried returns which calls go wrong in turn: the first one, and the distance to the next.
func callsTried(t *testing.T) (first, step int) {
	switch {
	case *complete:
		return 0, 1
	case testing.Short():
		return testhome.Spread(t, 32)
	default:
		return testhome.Spread(t, 3)
	}
}

// eachCall lets the calls of a reconcile that are tried go wrong in turn, from each start state of which start makes a world, and then tells what is wrong.
func eachCall(t *testing.T, how func(*fault) step, start func(t *testing.T, dir, name string) *testWorld, wrongs func(w, want *testWorld) []string) {
	s := newStepper(t)
	for name := range startStates {
		t.Run(name, func(t *testing.T) {
			dir := testhome.Scratch(t)
			want := start(t, filepath.Join(dir, "want"), name)
			if want == nil {
				return
			}
			testhome.NoError(t, want.settle())
			told := map[string]bool{}
			for f := range faults(callsTried(t)) {
				w := start(t, filepath.Join(dir, fmt.Sprint(f.at)), name)
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

// newStarted makes a world in a start state.
func newStarted(t *testing.T, dir, name string) *testWorld {
	w := newWorld(t, dir, "a")
	w.do(startStates[name])
	return w
}

// across does it on two file systems, for these states; for others it returns nil.
func across(states []string) func(t *testing.T, dir, name string) *testWorld {
	return func(t *testing.T, _, name string) *testWorld {
		if !slices.Contains(states, name) {
			return nil
		}
		w := newTwoDeviceWorld(t, "a")
		w.do(startStates[name])
		return w
	}
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
	wrong = append(wrong, w.completesAlike(want)...)
	for _, dir := range []func(*testWorld) string{func(w *testWorld) string { return w.home }, func(w *testWorld) string { return w.codex("a") }} {
		if got, wanted := w.tree(dir(w)), want.tree(dir(want)); !slices.Equal(got, wanted) {
			wrong = append(wrong, fmt.Sprintf("%s has\n%q, want\n%q", w.words(dir(w)), got, wanted))
		}
	}
	return wrong
}

// completesAlike reconciles until nothing is left to repair, and returns what differs from want then, except for the contents of files.
func (w *testWorld) completesAlike(want *testWorld) (wrong []string) {
	if err := w.settle(); err != nil {
		wrong = append(wrong, err.Error())
	}
	for _, text := range []string{"kept", "kept 0", "kept 1", "kept 2", "kept only 0", "kept only 1", "kept 1 log", "kept 2 log"} {
		if testhome.HoldsText(text, want.home, want.shared, want.store.Root) && !testhome.HoldsText(text, w.home, w.shared, w.store.Root) {
			wrong = append(wrong, fmt.Sprintf("%q is lost", text))
		}
	}
	if got, wanted := withoutTexts(w.tree(w.shared)), withoutTexts(want.tree(want.shared)); !slices.Equal(got, wanted) {
		wrong = append(wrong, fmt.Sprintf("the shared home has\n%q, want\n%q", got, wanted))
	}
	return append(wrong, w.leftovers()...)
}

// completesBesideLogs is completesAlike, and each log is beside its database then.
func (w *testWorld) completesBesideLogs(want *testWorld) (wrong []string) {
	wrong = w.completesAlike(want)
	for _, log := range w.strayLogs() {
		wrong = append(wrong, "a log without its database: "+log)
	}
	return wrong
}

// leftovers returns the temporary names and incomplete versions that are left.
func (w *testWorld) leftovers() (wrong []string) {
	for _, line := range slices.Concat(w.tree(w.home), w.tree(w.shared), w.tree(w.store.Root)) {
		if isCopy(line) {
			wrong = append(wrong, "a temporary name is left: "+line)
		}
	}
	for _, line := range w.tree(w.kept()) {
		if strings.HasSuffix(line, " = ") {
			wrong = append(wrong, "a version was not kept completely: "+line)
		}
	}
	return wrong
}

// isCopy reports whether a line of a tree is of a copy that is not complete. What replaces a file of swop's own is no copy: the verbs clear it.
func isCopy(line string) bool {
	name, _, _ := strings.Cut(line, " = ")
	return strings.Contains(name, disk.CopyPrefix) && !disk.IsTemp(filepath.Base(name))
}

func withoutTexts(lines []string) (names []string) {
	for _, line := range lines {
		name, _, _ := strings.Cut(line, " = ")
		names = append(names, name)
	}
	return names
}
