package mirror

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/internal/testhome"
)

// TestEngineRacesKilled is TestEngineRaces, with the reconcile killed before each of the calls that follow the program's act.
func TestEngineRacesKilled(t *testing.T) {
	s := newStepper(t)
	for _, r := range races {
		t.Run(r.name, func(t *testing.T) {
			dir, told := testhome.Scratch(t), map[string]bool{}
			for f := range faults(testhome.Points(t, 8)) {
				w := newWorld(t, filepath.Join(dir, fmt.Sprint(f.at)), "a")
				r.start(w, w.codex("a"), w.shared)
				_, _ = s.run(func() error { return w.reconcile("a", max(r.activity, idle)) }, r.thenKilled(w, f)) // the errors are our own
				for _, wrong := range r.lost(w) {
					if !told[wrong] {
						t.Errorf("%s: %s", w.words(f.log), wrong)
					}
					told[wrong] = true
				}
			}
		})
	}
}

// thenKilled lets the program act, and makes no more calls from the one numbered f.at on, counted from then.
func (r race) thenKilled(w *testWorld, f *fault) step {
	program, kill := r.program(w), f.kill()
	return func(n int, call string) unix.Errno {
		program.see(call)
		if !program.acted {
			return 0
		}
		return kill(n, call)
	}
}

// lost tells what the next reconciles leave undone, and what is nowhere then.
func (r race) lost(w *testWorld) (wrong []string) {
	if err := w.settle(); err != nil {
		wrong = append(wrong, err.Error())
	}
	for _, text := range r.want {
		if !testhome.HoldsText(text, w.home, w.store.Root) {
			wrong = append(wrong, fmt.Sprintf("%q is lost", text))
		}
	}
	for _, line := range append(w.tree(w.home), w.tree(w.store.Root)...) {
		if strings.Contains(line, disk.CopyPrefix) {
			wrong = append(wrong, "a temporary name is left: "+line)
		}
	}
	for _, line := range w.tree(w.kept()) {
		if strings.Contains(line, " -> <shared>/") {
			wrong = append(wrong, "a link of ours was taken for a version: "+line)
		}
	}
	return wrong
}
