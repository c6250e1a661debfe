//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"swop/internal/test/testhome"
)

// A clone is a git repository with the files of this working tree, uncommitted ones too, all in one commit: what a stranger gets,
// without what git ignores.
type clone struct {
	t   *testing.T
	dir string
}

func newClone(t *testing.T, dir string) clone {
	t.Helper()
	repository, err := everything()
	testhome.NoError(t, err)
	c := clone{t, dir}
	c.do(".", "git", "clone", "-q", repository, c.dir)
	return c
}

// everything makes that repository at the first call; a deleted file is left out.
var everything = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(buildDir, "swop.git")
	out, err := exec.Command("sh", "-euc", `cd ../../..
git init -q --bare -b main "$0"
git ls-files --cached --others --exclude-standard --deduplicate | while read -r name; do [ ! -f "$name" ] || echo "$name"; done |
	git --git-dir="$0" --work-tree=. add --pathspec-from-file=-
git --git-dir="$0" --work-tree=. -c user.name=swop -c user.email=swop@example.com commit -q -m "All of it"`, dir).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return dir, err
})

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
