package mirror

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/internal/testhome"
)

// swapper exchanges directories that are being removed for links to an outside directory with entries of the same names, and moves them
// back.
type swapper struct {
	t       *testing.T
	w       *trapped
	target  string // below the sandbox
	outside string
	parked  string // where the directory is while the link is in its place
	swaps   int
}

// place returns where the directory to swap is now, "" if it is gone.
func (s *swapper) place() string {
	for _, sandbox := range append(s.trashed(), s.w.work.Dir) {
		path := filepath.Join(sandbox, s.target)
		if _, err := os.Lstat(filepath.Dir(path)); err == nil {
			return path
		}
	}
	return ""
}

func (s *swapper) trashed() []string {
	dirs, err := filepath.Glob(filepath.Join(s.w.Path("trash"), "work-*"))
	testhome.NoError(s.t, err)
	return dirs
}

// swap exchanges the directory and the link; where the directory is gone, or its place is, there is nothing to do.
func (s *swapper) swap() {
	place := s.place()
	if place == "" {
		return
	}
	if testhome.Exists(s.parked) {
		_ = os.Remove(place) // removed already: then the directory comes back
		s.move(s.parked, place)
		return
	}
	if info, err := os.Lstat(place); err != nil || !info.IsDir() {
		return
	}
	s.move(place, s.parked)
	testhome.NoError(s.t, os.Symlink(s.outside, place))
}

// move renames a directory, for which an ordinary user must be able to write both it and those it is in.
func (s *swapper) move(from, to string) {
	info, err := os.Lstat(from)
	testhome.NoError(s.t, err)
	for _, dir := range []string{filepath.Dir(from), filepath.Dir(to), from} {
		testhome.NoError(s.t, os.Chmod(dir, 0o700))
	}
	testhome.NoError(s.t, os.Rename(from, to))
	testhome.NoError(s.t, os.Chmod(to, info.Mode()))
	s.swaps++
}

// raceTree makes directories that differ from those outside in nothing but their place. Some must be made accessible before they can be
// removed: those outside must not.
func raceTree(t *testing.T, dir string) {
	for _, sub := range []string{"a", "a/b", "a/b/c"} {
		testhome.PutFile(t, filepath.Join(dir, sub, "file"), "the same")
	}
	testhome.NoError(t, os.Chmod(filepath.Join(dir, "a", "b"), 0o500))
	testhome.NoError(t, os.Chmod(filepath.Join(dir, "a"), 0o500))
}

// swapRace is when a program swaps: before call at, or from that on before every call.
type swapRace struct {
	target    string
	at        int
	always    bool
	oldKernel bool // without openat2(2)
}

// never is past all calls.
const never = 1 << 30

// run removes an account meanwhile. It returns the number of calls.
func (r swapRace) run(t *testing.T, s *stepper) (calls, swaps int) {
	w := newTrapped(t, trap{set: func(t *testing.T, a account.Account, _ string) { raceTree(t, a.Home()) }})
	outside := filepath.Join(filepath.Dir(w.Home), "same")
	raceTree(t, outside)
	t.Cleanup(func() {
		testhome.NoError(t, errors.Join(os.Chmod(filepath.Join(outside, "a"), 0o700), os.Chmod(filepath.Join(outside, "a", "b"), 0o700)))
	})
	before := testhome.Tree(t, outside)
	p := &swapper{t: t, w: w, target: r.target, outside: filepath.Join(outside, strings.TrimPrefix(r.target, "home")), parked: filepath.Join(w.Home, "parked")}
	calls, _ = s.run(func() error { return w.Delete(w.work, "") }, func(n int, call string) unix.Errno {
		if n == r.at || r.always && n > r.at {
			p.swap()
		}
		if r.oldKernel && strings.HasPrefix(call, "enter ") {
			return unix.ENOSYS
		}
		return 0
	})
	if after := testhome.Tree(t, outside); after != before {
		t.Fatalf("%+v: outside changed from\n%s\nto\n%s\nafter %q", r, before, after, s.log)
	}
	w.wantBeside(t)
	if testhome.Exists(p.parked) {
		p.move(p.parked, filepath.Join(w.Path("trash"), "parked"))
	}
	if err := w.EmptyTrash(); err != nil {
		t.Fatalf("%+v: EmptyTrash = %v", r, err)
	}
	if testhome.Exists(w.work.Dir) {
		testhome.NoError(t, w.Delete(w.work, ""))
	}
	w.wantEmpty(t)
	return calls, p.swaps
}

// A program that goes on in a sandbox swaps its directories for links right before every single call of the removal: nothing outside is
// removed, and no mode is changed there.
func TestTrapSwapped(t *testing.T) {
	s := newStepper(t)
	met := 0
	for _, target := range []string{"home", "home/a", "home/a/b", "home/a/b/c"} {
		for _, r := range []swapRace{{target: target}, {target: target, always: true}, {target: target, always: true, oldKernel: true}} {
			t.Run(fmt.Sprintf("%s/always %t/old kernel %t", target, r.always, r.oldKernel), func(t *testing.T) {
				r.at = never
				calls, _ := r.run(t, s)
				first, step := testhome.Points(t, 8)
				for r.at = first; r.at < calls; r.at += step {
					more, swaps := r.run(t, s)
					calls, met = max(calls, more), met+swaps
				}
			})
		}
	}
	if _, step := testhome.Points(t, 8); met < 1000/step {
		t.Errorf("only %d swaps were made", met)
	}
	t.Logf("%d swaps", met)
}
