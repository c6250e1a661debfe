package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"swop/internal/test/testhome"
)

func TestMain(m *testing.M) {
	Helper()
	status := testhome.Suite{Tests: m}.Run()
	if err := os.RemoveAll(buildDir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// shell is a command that runs script in dir.
func shell(dir, script string) Command {
	return Command{Args: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: dir}
}

// traced runs the command to its end and returns its calls.
func traced(t *testing.T, c Command) ([]Call, Result) {
	t.Helper()
	var calls []Call
	r, err := Run(c, func(call Call) Verdict {
		calls = append(calls, call)
		return Verdict{}
	})
	testhome.NoError(t, err)
	return calls, r
}

func real(t *testing.T, dir string) string {
	t.Helper()
	resolved, err := filepath.EvalSymlinks(dir)
	testhome.NoError(t, err)
	return resolved
}

func TestRunSeesEveryChange(t *testing.T) {
	dir := real(t, t.TempDir())
	script := "echo one > a; mkdir d; mv a d/b; ln -s d l; echo two > c; chmod 600 c; rm c; rmdir d 2>&- || exit 7"
	calls, r := traced(t, shell(dir, script))
	var got []string
	for _, c := range calls {
		for i, path := range c.Paths {
			c.Paths[i] = strings.TrimPrefix(path, dir+"/")
		}
		got = append(got, strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(c.Name, "2"), "at"), "at")+" "+strings.Join(c.Paths, " "))
	}
	want := []string{
		"open a", "write a", "mkdir d", "rename a d/b", "symlink l", "open c", "write c", "chmod c", "unlink c", "rmdir d",
	}
	normal := strings.NewReplacer("fchmod c", "chmod c", "unlink d", "rmdir d").Replace(strings.Join(got, "\n"))
	if normal != strings.Join(want, "\n") || r.Changes != len(want) || r.Status != 7 {
		t.Errorf("status %d, %d changes:\n%s\nwant 7 and:\n%s", r.Status, r.Changes, normal, strings.Join(want, "\n"))
	}
}
