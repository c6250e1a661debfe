//go:build unix

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// A home is a fresh HOME and the options of an install there.
type home struct{ o Options }

// newHome returns a HOME with a space, a quote and letters beyond ASCII in its name.
func newHome(t *testing.T, shell string) *home {
	t.Helper()
	dir := filepath.Join(t.TempDir(), `hö me's "$X`)
	testhome.NoError(t, os.MkdirAll(filepath.Join(dir, ".local/share"), 0o755))
	real := filepath.Join(t.TempDir(), "codex")
	testfile.Put(t, real, "#!/bin/sh\necho the real codex\n", 0o755)
	path := filepath.Dir(real) + ":/usr/local/bin:/usr/bin:/bin"
	env := config.Env{"HOME=" + dir, "SHELL=" + shell, "PATH=" + path, "TERM=dumb", "LANG=C.UTF-8"}
	return &home{Options{
		From: standIns(t, "v1"), Home: dir, Env: env,
		FindReal: func() (string, error) { return real, nil },
	}}
}

func (h *home) prefix() string {
	if h.o.Prefix != "" {
		return h.o.Prefix
	}
	return DefaultPrefix(h.o.Home, h.o.Env)
}

func (h *home) bin() string { return filepath.Join(h.prefix(), "bin") }

func (h *home) path(name string) string { return filepath.Join(h.o.Home, filepath.FromSlash(name)) }

// line is what an install adds to a start-up file that ends in a newline.
func (h *home) line(t *testing.T, env string) string {
	t.Helper()
	s, err := begin(h.o)
	testhome.NoError(t, err)
	return s.line(startup{env: env}) + ours + "\n"
}

func (h *home) setenv(name, value string) { h.o.Env = h.o.Env.With(name, value) }

func (h *home) write(t *testing.T, name, text string) {
	t.Helper()
	testfile.Put(t, h.path(name), text, 0o644)
}

// quiet keeps shells from writing into the home.
func (h *home) quiet(t *testing.T) {
	t.Helper()
	h.setenv("HISTFILE", "/dev/null")
	h.setenv("fish_history", "")
	testhome.NoError(t, os.MkdirAll(h.path(".local/share/fish/generated_completions"), 0o755))
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	testhome.NoError(t, err)
	return string(text)
}

func (h *home) install(t *testing.T) Report {
	t.Helper()
	r, err := Install(h.o)
	if err != nil {
		t.Fatalf("Install: %v", err)
	}
	return r
}

func (h *home) uninstall(t *testing.T) Report {
	t.Helper()
	r, err := Uninstall(h.o)
	if err != nil {
		t.Fatalf("Uninstall: %v", err)
	}
	return r
}

// run returns what a command prints in the home's environment, on both streams.
func (h *home) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	if program := lookPath(name, "/usr/bin:/bin"); program != "" {
		name = program
	}
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = h.o.Env, h.o.Home
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// A tree is what lies below a directory, a line for each entry: see [testhome.Tree].
type tree string

func snapshot(t *testing.T, dir string) tree {
	t.Helper()
	return tree(testhome.Tree(t, dir))
}

// minus returns the lines that other does not have.
func (a tree) minus(other tree) []string {
	known := strings.Split(string(other), "\n")
	return slices.DeleteFunc(strings.Split(string(a), "\n"), func(line string) bool { return slices.Contains(known, line) })
}

// same fails unless dir is as it was when the snapshot was taken.
func (want tree) same(t *testing.T, dir string) {
	t.Helper()
	if got := snapshot(t, dir); got != want {
		t.Errorf("%s has changed: gone is %.200q, new is %.200q", dir, want.minus(got), got.minus(want))
	}
}
