package faults

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"swop/internal/test/testhome"
)

// points says how many points of each operation are tried.
var points = flag.String("points", "some", "which points of each operation are tried: some, all, every N-th (1/N) or the one with this "+
	"number")

// reference is the result of an undisturbed operation.
type reference struct {
	calls []Call
	tree  []string
	keeps map[string]bool // what the start state had and the end still has
}

// references are those of the operations that a test has asked for, by name: the next test need not find them out again.
var references sync.Map

func (o operation) undisturbed(t *testing.T, dir string) reference {
	t.Helper()
	if r, ok := references.Load(o.name); ok {
		return r.(reference)
	}
	var calls []Call
	r := o.runToEnd(t, dir, func(w *world) Result {
		result, err := Run(o.in(w), func(c Call) Verdict {
			calls = append(calls, c)
			return Verdict{}
		})
		testhome.NoError(t, err)
		return result
	})
	r.calls = calls
	references.Store(o.name, r)
	return r
}

// runToEnd runs the operation with run, and everything that follows it, in a fresh world, and returns the result.
func (o operation) runToEnd(t *testing.T, dir string, run func(*world) Result) reference {
	t.Helper()
	w := o.world(t, filepath.Join(dir, "undisturbed"))
	defer w.remove()
	before := kept(w.contents())
	if result := run(w); result.Status != 0 {
		t.Fatalf("undisturbed, it exits %d: %s", result.Status, result.Stderr)
	}
	if wrong := append(w.torn(o), w.recover(o)...); len(wrong) > 0 {
		t.Fatalf("undisturbed: %s", strings.Join(wrong, "\n"))
	}
	r := reference{tree: w.tree(), keeps: map[string]bool{}}
	after := kept(w.contents())
	for text := range before {
		switch {
		case after[text]:
			r.keeps[text] = true
		case !o.mayDrop(text):
			t.Errorf("undisturbed, it loses %q", text)
		}
	}
	return r
}

// mayDrop reports whether removing a file with this text is the purpose of the operation: a login, a private file of the account, a kept
// version of long ago, a start-up file that swop changes.
func (o operation) mayDrop(text string) bool {
	switch {
	case strings.Contains(text, "sk-kept-"), strings.Contains(text, "own.local.toml"):
		return o.owner != ""
	case strings.Contains(text, "home/.bashrc"), strings.Contains(text, "home/.profile"), strings.Contains(text, "home/.zshrc"):
		return strings.Contains(o.name, "install")
	}
	return false
}

func (o operation) world(t testing.TB, dir string) *world {
	t.Helper()
	w := newWorld(t, dir)
	o.start(w)
	testhome.NoError(t, os.MkdirAll(w.at("tmp"), 0o700))
	return w
}

func (r reference) changes() int { return len(r.calls) }

// judge returns what is wrong after a disturbance, at once and after everything ran again.
func (r reference) judge(o operation, w *world) []string {
	wrong := append(w.lost(r.keeps), w.torn(o)...)
	wrong = append(wrong, w.recover(o)...)
	wrong = append(wrong, w.lost(r.keeps)...)
	if o.turns {
		return wrong
	}
	return append(wrong, differs(w.tree(), r.tree)...)
}

// TestKilled kills each operation with all its children before each call that changes a file. Nothing may be lost then, and after
// the next run everything must be as if undisturbed.
func TestKilled(t *testing.T) {
	disturb(t, reference.changes, operation.killedAt)
}

// disturb disturbs points of each operation, one at a time, with disturbed. have says how many points an undisturbed run has.
func disturb(t *testing.T, have func(reference) int,
	disturbed func(o operation, t *testing.T, dir string, n int, r reference) ([]string, bool),
) {
	t.Run("operations", func(t *testing.T) {
		each(t, func(t *testing.T, o operation) {
			dir := testhome.Scratch(t)
			r := o.undisturbed(t, dir)
			calls, tried := have(r), 0
			defer func() { t.Logf("%d points tried, of %d", tried, calls) }()
			for n := range some(t, calls, pointsEach()) {
				wrong, reached := reach(n < calls, func() ([]string, bool) {
					return disturbed(o, t, filepath.Join(dir, fmt.Sprint(n)), n, r)
				})
				if len(wrong) > 0 {
					t.Errorf("%d: %s", n, strings.Join(wrong, "\n"))
				}
				if reached {
					tried++
				} else if n >= calls {
					return
				}
			}
		})
	})
}

// reach runs f until it reaches its point, several times where the point is known to exist: threads and random names change the number
// of calls a little from run to run.
func reach(known bool, f func() (wrong []string, reached bool)) (wrong []string, reached bool) {
	for range 20 {
		if wrong, reached = f(); reached || !known {
			break
		}
	}
	return wrong, reached
}

// pointsEach is how many points of each operation are tried unless all are asked for: two, one without what repeats.
func pointsEach() int {
	if testhome.Repeats() {
		return 2
	}
	return 1
}

// killedAt kills the operation before its n-th change and returns what is wrong then. reached is false where it ended before that.
func (o operation) killedAt(t *testing.T, dir string, n int, r reference) (wrong []string, reached bool) {
	w := o.world(t, dir)
	defer w.remove()
	before := ""
	result, err := Run(o.in(w), func(c Call) Verdict {
		if c.Change == n {
			before = w.words(c.String())
		}
		return Verdict{Kill: c.Change == n}
	})
	testhome.NoError(t, err)
	if !result.Killed {
		return nil, false
	}
	if wrong = r.judge(o, w); len(wrong) > 0 {
		wrong = append([]string{fmt.Sprintf("killed at %d, before %s:", n, before)}, wrong...)
	}
	return wrong, true
}

// some yields the points of an operation that are tried: all, until the operation ends; every n-th; a single one; or n that are spread
// evenly over those of the undisturbed run, with -short one of those.
func some(t *testing.T, have, n int) iter.Seq[int] {
	at, step, end := have/(2*n), max(1, have/n), have
	every, stride := strings.CutPrefix(*points, "1/")
	number, err := strconv.Atoi(every)
	switch {
	case *points == "all":
		at, step, end = 0, 1, 1<<30
	case *points == "some" && testing.Short():
		at, _ = testhome.Points(t, max(1, have))
		end = min(have, at+1)
	case stride && err == nil && number > 0:
		at, step, end = number/2, number, 1<<30
	case err == nil && number >= 0:
		at, end = number, number+1
	case *points != "some":
		t.Fatalf("-points must be some, all, 1/N or a number, not %q", *points)
	}
	return func(yield func(int) bool) {
		for ; at < end && yield(at); at += step {
		}
	}
}
