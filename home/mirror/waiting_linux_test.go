package mirror

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// TestEngineOneEntryFails: whatever is to be repaired, and whatever error its calls give from one of them on, at this start and the next ones: that entry
// waits, is named once, and all others are repaired. Without the error the next start completes it.
func TestEngineOneEntryFails(t *testing.T) {
	s := newStepper(t)
	for name := range startStates {
		t.Run(name, func(t *testing.T) {
			dir := testhome.Scratch(t)
			want := newStarted(t, filepath.Join(dir, "want"), name)
			for n := range starts {
				want.bystand(fmt.Sprint(n))
			}
			testhome.NoError(t, want.settle())
			for _, errno := range []unix.Errno{unix.EIO, unix.EROFS} {
				for f := range faults(testhome.Points(t, 16)) {
					w := newStarted(t, filepath.Join(dir, fmt.Sprint(errno, f.at)), name)
					w.wantOthers(t, s, f, errno)
					for _, wrong := range w.completes(want) {
						t.Errorf("%v, %s: %s", errno, w.words(f.log), wrong)
					}
				}
			}
		})
	}
}

// starts is after how many starts with an error nothing new waits: that of a database may leave its log to the next one.
const starts = 3

// wantOthers reconciles so often while the calls about what there is in the world fail from one on.
func (w *testWorld) wantOthers(t *testing.T, s *stepper, f *fault, errno unix.Errno) {
	t.Helper()
	fails := f.failNames(w.names(), errno)
	for n := range starts {
		w.bystand(fmt.Sprint(n))
		said := len(w.said)
		_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, fails)
		private := testhome.Exists(filepath.Join(w.codex("a"), "auth.json")) // a link to another login
		if (err != nil) != private {
			t.Errorf("%s: Reconcile %d = %v, want an error: %v", w.words(f.log), n, err, private)
		}
		if file := "bystander" + fmt.Sprint(n); !private && testhome.TextOf(filepath.Join(w.shared, file)) != "by" {
			t.Errorf("%s: %s is not shared", w.words(f.log), file)
		}
		if n == starts-1 && len(w.said) > said {
			t.Errorf("%s: said again: %q", w.words(f.log), w.said)
		}
	}
}

// bystand makes another entry to share.
func (w *testWorld) bystand(n string) {
	testhome.PutText(w.t, filepath.Join(w.codex("a"), "bystander"+n), "by")
}

// names returns the names of all entries that are in the account's home or in the shared one.
func (w *testWorld) names() (list []string) {
	for _, dir := range []string{w.codex("a"), w.shared} {
		entries, err := os.ReadDir(dir)
		testhome.NoError(w.t, err)
		for _, entry := range entries {
			list = append(list, entry.Name())
		}
	}
	return list
}

// failNames lets the calls that move one of these entries fail, from the one numbered at on.
func (f *fault) failNames(names []string, errno unix.Errno) step {
	seen := 0
	return func(_ int, call string) unix.Errno {
		verb, rest, _ := strings.Cut(call, " ")
		about := slices.ContainsFunc(strings.Fields(rest), func(word string) bool { return slices.Contains(names, word) })
		if !about || !slices.Contains([]string{"rename", "link", "symlink"}, verb) {
			return 0
		}
		if seen++; seen <= f.at {
			return 0
		}
		if !f.met {
			f.met, f.log = true, fmt.Sprintf("failed from %q on", call)
		}
		return errno
	}
}
