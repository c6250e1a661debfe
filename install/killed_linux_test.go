package install

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/faults"
	"swop/internal/testhome"
)

// A run in a process of its own is killed before each call that changes a file, one call further each time. Whatever it leaves, every
// file is as before or as after, and the next run completes it.

// callOfChild is what TestMain does in such a process.
type callOfChild struct {
	Verb string // install or uninstall
	O    childOptions
}

// childOptions are the options that a child needs.
type childOptions struct {
	From, Home, Shell string
	Env               []string
	EveryPrompt       *bool
	Completions       map[string]string
}

// beChild does the work of a child, where this process is one.
func beChild() {
	faults.Helper()
	if call := os.Getenv("INSTALL_CHILD"); call != "" {
		os.Exit(runChild(call))
	}
}

// runChild does what the variable INSTALL_CHILD asks for.
func runChild(text string) int {
	var c callOfChild
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	do := map[string]func(Options) (Report, error){"install": Install, "uninstall": Uninstall}[c.Verb]
	if _, err := do(Options{
		From: c.O.From, Home: c.O.Home, Env: c.O.Env, Shell: c.O.Shell, EveryPrompt: c.O.EveryPrompt, Completions: c.O.Completions,
	}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// killedAt runs the verb in a child and kills it before its nth changing call. It returns false where the child had fewer.
func (h *home) killedAt(t *testing.T, verb string, n int) bool {
	t.Helper()
	text, err := json.Marshal(callOfChild{verb, childOptions{h.o.From, h.o.Home, h.o.Shell, h.o.Env, h.o.EveryPrompt, h.o.Completions}})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := faults.Command{Args: []string{self}, Env: append(os.Environ(), "INSTALL_CHILD="+string(text)), Dir: h.o.Home}
	r, err := faults.Run(c, func(call faults.Call) faults.Verdict { return faults.Verdict{Kill: call.Change == n-1} })
	if err != nil || !r.Killed && r.Status != 0 {
		t.Fatalf("%s to be killed at call %d: %v, status %d\n%s", verb, n, err, r.Status, r.Stderr)
	}
	return r.Killed
}

// startFiles fill a home with what the runs have to change: appended to, made, linked, with two names.
func startFiles(t *testing.T) *home {
	h := newHome(t, "bash")
	h.complete()
	h.write(t, ".bashrc", "# mine, without an end")
	h.write(t, "dots/profile", "# mine\n")
	symlink(t, "dots/profile", h.path(".profile"))
	h.write(t, ".zshrc", "x=1\n")
	if err := os.Link(h.path(".zshrc"), h.path("other")); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestInstallKilledAnywhere(t *testing.T) {
	t.Parallel()
	h := startFiles(t)
	before := snapshot(t, h.o.Home)
	h.install(t)
	after := snapshot(t, h.o.Home)
	h.uninstall(t)
	n := h.everyKill(t, "install", before, after, func() {
		h.install(t)
		after.same(t, h.o.Home)
		h.uninstall(t)
		before.same(t, h.o.Home)
	})
	if n < 30 {
		t.Errorf("the install was killed at %d calls, want those of all its steps", n)
	}
}

func TestUninstallKilledAnywhere(t *testing.T) {
	t.Parallel()
	h := startFiles(t)
	before := snapshot(t, h.o.Home)
	h.install(t)
	after := snapshot(t, h.o.Home)
	n := h.everyKill(t, "uninstall", before, after, func() {
		h.uninstall(t)
		before.same(t, h.o.Home)
		h.install(t)
		after.same(t, h.o.Home)
	})
	if n < 10 {
		t.Errorf("the uninstall was killed at %d calls, want those of all its steps", n)
	}
}

// An upgrade that is killed leaves two programs that run, the old ones or the new.
func TestUpgradeKilledAnywhere(t *testing.T) {
	t.Parallel()
	h := startFiles(t)
	h.install(t)
	before := snapshot(t, h.o.Home)
	old, next := h.o.From, standIns(t, "v2")
	h.o.From = next
	h.install(t)
	after := snapshot(t, h.o.Home)
	h.o.From = old
	h.install(t)
	n := h.everyKill(t, "install", before, after, func() {
		for _, name := range programNames {
			if out := h.run(t, filepath.Join(h.bin(), name)); out != "v1\n" && out != "v2\n" {
				t.Errorf("after the kill %s prints %q", name, out)
			}
		}
		h.o.From = next
		h.install(t)
		after.same(t, h.o.Home)
		h.o.From = old
		h.install(t)
		before.same(t, h.o.Home)
		h.o.From = next
	})
	if n < 10 {
		t.Errorf("the upgrade was killed at %d calls, want those of all its steps", n)
	}
}

// everyKill kills the verb at one call after the other, with -short at every eighth, and looks at what is there, then calls rest, which puts
// things back. It returns about how many calls there were.
func (h *home) everyKill(t *testing.T, verb string, before, after tree, rest func()) int {
	t.Helper()
	if verb == "install" && h.o.From != "" && before[filepath.Join(h.bin(), "codex")] != "" {
		h.o.From = standIns(t, "v2")
	}
	first, step := testhome.Points(t, 8)
	for n := 1 + first; ; n += step {
		killed := h.killedAt(t, verb, n)
		h.whole(t, before, after)
		rest()
		if !killed {
			return n - 1
		}
		if t.Failed() {
			t.Fatalf("that was %s, killed at call %d", verb, n)
		}
	}
}

// whole checks that each file is as before or as after, but for what is made beside it and renamed, and the record, which grows.
func (h *home) whole(t *testing.T, before, after tree) {
	t.Helper()
	for path, text := range snapshot(t, h.o.Home) {
		base := filepath.Base(path)
		switch {
		case text == before[path] || text == after[path] || strings.HasPrefix(text, fs.ModeDir.String()[:1]):
		case strings.HasSuffix(base, ".swop-new"), strings.HasPrefix(base, ".codex"):
		case base == "install.json" && json.Valid([]byte(text[strings.IndexByte(text, ' '):])):
		case base == ".zshrc" || base == "other": // a file with two names is written in place: after a kill it is a part of one
			if !partOf(text, before[path], after[path]) {
				t.Errorf("%s is neither as before nor on the way:\n%q", path, text)
			}
		default:
			t.Errorf("%s is neither as before nor as after:\n%.300q", path, text)
		}
	}
}

func partOf(text, before, after string) bool {
	if len(before) > len(after) {
		before, after = after, before
	}
	return strings.HasPrefix(after, text) && strings.HasPrefix(text, before)
}
