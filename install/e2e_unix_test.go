//go:build unix

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// repository is a clone of swop as install.sh of this tree finds it, and a fresh home with a real codex, last on PATH.
func repository(t *testing.T) (clone, *home) {
	t.Helper()
	h := newHome(t, "/bin/bash")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
		value, err := exec.Command("go", "env", name).Output()
		testhome.NoError(t, err)
		h.setenv(name, strings.TrimSpace(string(value)))
	}
	goTool, err := exec.LookPath("go")
	testhome.NoError(t, err)
	h.setenv("PATH", filepath.Dir(goTool)+":"+h.o.Env.Value("PATH"))
	h.setenv("SHELL", "/bin/bash")
	dir, err := filepath.Abs("..")
	testhome.NoError(t, err)
	return clone{dir, t.TempDir(), h.o.Env}, h
}

// The quick start with the real programs: a fresh home, ./install.sh, a new shell, and back.
func TestFromCloneToShellAndBack(t *testing.T) {
	c, h := repository(t)
	h.write(t, ".bashrc", "# mine, without an end")
	real := lookPath("codex", c.env.Value("PATH"))
	out := c.succeed(t)
	for _, want := range []string{filepath.Join(h.bin(), "codex"), h.path(".bashrc"), "real codex: " + real, "export PATH="} {
		if !strings.Contains(out, want) {
			t.Errorf("install.sh does not say %q:\n%s", want, out)
		}
	}
	if got, want := h.which(t, "bash", "-ic"), filepath.Join(h.bin(), "codex"); got != want {
		t.Errorf("a new shell finds codex at %q, want %q", got, want)
	}
	if out := h.run(t, "bash", "-ic", "codex 2>&1"); !strings.Contains(out, "the real codex") {
		t.Errorf("in a new shell codex prints %q, want what the real one prints", out)
	}
	if out := c.succeed(t); !strings.HasPrefix(out, "nothing to change\n") {
		t.Errorf("the second install.sh prints\n%s", out)
	}
	h.run(t, "bash", "-ic", "codex swop uninstall --yes")
	if text := readFile(t, h.path(".bashrc")); text != "# mine, without an end" || exists(h.prefix()) {
		t.Errorf("after uninstall .bashrc is %q, and the prefix is there: %v", text, exists(h.prefix()))
	}
}

func (c clone) succeed(t *testing.T, args ...string) string {
	t.Helper()
	out, stderr, status := c.run(t, args...)
	if status != 0 || strings.Contains(stderr, "swop: ") { // Go may say what it downloads
		t.Fatalf("install.sh %q: status %d, stdout %q, stderr %q", args, status, out, stderr)
	}
	return out
}

// With no network and no modules about, install.sh says so, with Go's own words, and nothing is changed.
func TestScriptWithoutNetwork(t *testing.T) {
	c, h := repository(t)
	c.env = c.env.With("GOMODCACHE", t.TempDir()).With("GOPROXY", "off").With("GOFLAGS", "-mod=mod -modcacherw").With("GOCACHE", t.TempDir())
	before := snapshot(t, h.o.Home)
	out, stderr, status := c.run(t)
	for _, want := range []string{"GOPROXY=off", "swop: the build failed", "nothing was changed", "swop: hint: the first build downloads modules: is there a network?"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("install.sh without a network does not say %q:\n%s", want, stderr)
		}
	}
	if status != 1 || out != "" {
		t.Errorf("install.sh without a network: status %d, stdout %q", status, out)
	}
	testhome.NoError(t, os.RemoveAll(h.path(".config"))) // what Go itself keeps there
	before.same(t, h.o.Home)
}
