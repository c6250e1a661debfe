package faults

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// failure is a call of an operation, by its place among those that change a file, and the error that it gives.
type failure struct {
	change int
	errno  unix.Errno
}

// failures returns all errors that the calls of an undisturbed run can give.
func (r reference) failures() (list []failure) {
	for _, c := range r.calls {
		for _, errno := range c.Errors() {
			list = append(list, failure{c.Change, errno})
		}
	}
	return list
}

// TestFailed makes each call of each operation fail with each error that it can give. The operation may go on and succeed; else it says in
// one line what failed and where. Nothing is half done or lost then, and after the next run everything is as if nothing had failed.
func TestFailed(t *testing.T) {
	disturb(t, func(r reference) int { return len(r.failures()) }, operation.failedAt)
}

// failedAt runs the operation with its n-th failure and returns what is wrong then. reached is false where no call was as in the
// undisturbed run.
func (o operation) failedAt(t *testing.T, dir string, n int, r reference) (wrong []string, reached bool) {
	list := r.failures()
	if n >= len(list) {
		return nil, false
	}
	f, w := list[n], o.world(t, dir)
	defer w.remove()
	var failed *Call
	result, err := Run(o.in(w), func(c Call) Verdict {
		if c.Change != f.change || !slices.Contains(c.Errors(), f.errno) {
			return Verdict{}
		}
		failed = &c
		return Verdict{Error: f.errno}
	})
	testhome.NoError(t, err)
	if failed == nil {
		return nil, false // threads: the calls came in another order
	}
	wrong = append(o.told(result, *failed, f.errno), r.judge(o, w)...)
	if len(wrong) > 0 {
		said := fmt.Sprintf("%v at %d, %s: status %d, %s", f.errno, f.change, w.words(failed.String()), result.Status, w.words(result.Stderr))
		wrong = append([]string{said}, wrong...)
	}
	return wrong, true
}

// TestDiskFull fills the disk before a write of each operation: that and all later ones fail. Each failure is one clear
// error and loses nothing; once there is room again the operation completes.
func TestDiskFull(t *testing.T) {
	disturb(t, func(r reference) (n int) {
		for _, c := range r.calls {
			if c.NeedsRoom() {
				n++
			}
		}
		return n
	}, operation.fullAt)
}

func (o operation) fullAt(t *testing.T, dir string, n int, r reference) (wrong []string, reached bool) {
	w := o.world(t, dir)
	defer w.remove()
	needed := 0
	result, err := Run(o.in(w), func(c Call) Verdict {
		if !c.NeedsRoom() {
			return Verdict{}
		}
		if needed++; needed <= n {
			return Verdict{}
		}
		return Verdict{Error: unix.ENOSPC}
	})
	testhome.NoError(t, err)
	if needed <= n {
		return nil, false
	}
	told := strings.Contains(result.Stderr, unix.ENOSPC.Error()) || strings.Contains(result.Stderr, "codex login ended with status")
	if want := o.statuses(); result.Status != 0 && (!told || !slices.Contains(want, result.Status)) {
		wrong = append(wrong, fmt.Sprintf("the status is not one of %v, or no line tells of a full disk", want))
	}
	o.turns = true // what waited for room is shared when its account is used
	wrong = append(wrong, r.judge(o, w)...)
	if len(wrong) > 0 {
		wrong = append([]string{fmt.Sprintf("full at %d: status %d, %s", n, result.Status, w.words(result.Stderr))}, wrong...)
	}
	return wrong, true
}

// TestConfineUnsynced lets a policy fail that has its place already: it is taken back, as the home is.
func TestConfineUnsynced(t *testing.T) {
	w, left := operation{start: hard}.world(t, testhome.Scratch(t)), []string{"false home-new", "false meta.json", "true work"}
	result, err := Run(w.command("", nil, swop("confine", "work", "read-only")...), func(c Call) (v Verdict) {
		if step := fmt.Sprintf("%t %s", c.kind == syncs, filepath.Base(c.Paths[len(c.Paths)-1])); len(left) > 0 && step == left[0] {
			if left = left[1:]; len(left) == 0 {
				v.Error = unix.EIO
			}
		}
		return v
	})
	a, err2 := w.store.Account("work")
	if err != nil || err2 != nil || result.Status != 1 || a.Meta.Confine != "" || !disk.SameFile(a.CodexHome()+"/skills", w.shared+"/skills") {
		t.Errorf("confine = %+v, %v; the account is %+v, %v; left: %q", result, err, a, err2, left)
	}
}

// told returns what is wrong with how an error was reported.
func (o operation) told(r Result, c Call, errno unix.Errno) (wrong []string) {
	for _, trace := range []string{"panic", "goroutine ", "runtime error"} {
		if strings.Contains(r.Stderr, trace) {
			wrong = append(wrong, "a stack trace is printed")
		}
	}
	if r.Status == 0 || filepath.Dir(c.Program) != filepath.Join(buildDir, "bin") { // errors of the shell are not ours to check
		return wrong
	}
	if want := o.statuses(); !slices.Contains(want, r.Status) {
		wrong = append(wrong, fmt.Sprintf("the status is not one of %v", want))
	}
	var lines []string
	for _, line := range strings.Split(r.Stderr, "\n") {
		if strings.Contains(line, errno.Error()) && !strings.HasPrefix(line, "swop: hint: ") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "swop: ") {
		return append(wrong, fmt.Sprintf("%d lines tell of it, want one", len(lines)))
	}
	_, inDir, _ := strings.Cut(lines[0], "cannot write in ") // "" for any other message
	inDir, _, _ = strings.Cut(inDir, ": ")
	named := func(path string) bool { // of what is in the trash, the entry there
		trash := filepath.Join(".swop", "trash") + "/"
		return strings.Contains(lines[0], filepath.Base(path)) || strings.Contains(path, trash) && strings.Contains(lines[0], trash) ||
			inDir != "" && config.Within(path, inDir)
	}
	if !slices.ContainsFunc(c.Paths, named) {
		wrong = append(wrong, "no path is named")
	}
	return wrong
}

func (o operation) statuses() []int {
	if o.args[0] == "codex" {
		return []int{125}
	}
	return []int{1, 4}
}
