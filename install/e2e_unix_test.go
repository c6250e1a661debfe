//go:build unix

package install

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// The quick start with the real programs, and a Go that has this clone's modules: a fresh home, ./install.sh, a new shell, and back. The
// installed program takes itself away.
func TestFromCloneToShellAndBack(t *testing.T) {
	h := newHome(t, "/bin/bash")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
		value, err := exec.Command("go", "env", name).Output()
		testhome.NoError(t, err)
		h.setenv(name, strings.TrimSpace(string(value)))
	}
	goTool, err := exec.LookPath("go")
	testhome.NoError(t, err)
	h.setenv("PATH", filepath.Dir(goTool)+":"+h.o.Env.Value("PATH"))
	dir, err := filepath.Abs("..")
	testhome.NoError(t, err)
	c := clone{dir, t.TempDir(), h.o.Env}
	h.write(".bashrc", "# mine, without an end")
	codex := filepath.Join(h.bin(), "codex")
	for _, want := range []string{"new      " + codex + "\n", "nothing to change\n"} {
		out, stderr, status := c.run(t)
		if status != 0 || !strings.Contains(out, want) || !strings.Contains(stderr, "swop: new shells run codex through swop; for this one: . ") {
			t.Fatalf("install.sh: status %d, stdout %q, stderr %q, want %q", status, out, stderr, want)
		}
	}
	if got := h.which("", "bash", "-ic"); got != codex {
		t.Errorf("a new shell finds codex at %q, want %q", got, codex)
	}
	c.env = c.env.With("PATH", "/usr/bin:/bin") // no Go is needed
	if _, stderr, status := c.run(t, "--uninstall", "--yes"); status != 0 {
		t.Errorf("install.sh --uninstall: status %d, stderr %q", status, stderr)
	}
	if text := h.read(".bashrc"); text != "# mine, without an end" || exists(h.prefix()) {
		t.Errorf("after uninstall .bashrc is %q, and the prefix is there: %v", text, exists(h.prefix()))
	}
}
