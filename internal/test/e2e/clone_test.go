//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

// A clone is a git repository with the files of this working tree, uncommitted ones too, all in one commit: what a stranger gets,
// without what git ignores.
type clone struct {
	t   *testing.T
	dir string
}

func newClone(t *testing.T) clone {
	t.Helper()
	c := clone{t, filepath.Join(t.TempDir(), "swop")}
	c.do("../../..", "git", "init", "-q", "-b", "main", c.dir)
	list := c.do("../../..", "git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate")
	for name := range strings.Lines(list) {
		c.copyOf(strings.TrimSuffix(name, "\n"))
	}
	c.commit("All of it")
	return c
}

// copyOf copies a file of the working tree; a deleted one is left out.
func (c clone) copyOf(name string) {
	c.t.Helper()
	from, to := filepath.Join("../../..", name), filepath.Join(c.dir, name)
	info, err := os.Stat(from)
	if os.IsNotExist(err) {
		return
	}
	testhome.NoError(c.t, err)
	testhome.NoError(c.t, os.MkdirAll(filepath.Dir(to), 0o755))
	text, err := os.ReadFile(from)
	testhome.NoError(c.t, err)
	testhome.NoError(c.t, os.WriteFile(to, text, info.Mode().Perm()))
}

// another returns a clone of c, with its tags.
func (c clone) another() clone {
	c.t.Helper()
	other := clone{c.t, filepath.Join(c.t.TempDir(), "elsewhere", "swop clone")}
	c.do(".", "git", "clone", "-q", c.dir, other.dir)
	return other
}

func (c clone) commit(message string) {
	c.t.Helper()
	c.git("add", "-A")
	c.git("-c", "user.name=swop", "-c", "user.email=swop@example.com", "commit", "-q", "--allow-empty", "-m", message)
}

func (c clone) git(args ...string) string {
	c.t.Helper()
	return c.do(c.dir, "git", args...)
}

func (c clone) write(name, text string) {
	c.t.Helper()
	testhome.NoError(c.t, os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644))
}

// do runs a command and returns its standard output.
func (c clone) do(dir, name string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%s %q: %v: %s", name, args, err, stderr.String())
	}
	return string(out)
}
