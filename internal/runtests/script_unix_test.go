//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bare returns a PATH with Go, git and bash, and what the script itself and Go start.
func bare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go", "git", "bash", "sh", "env", "dirname", "mktemp", "rm"} {
		file, err := exec.LookPath(name)
		if err == nil {
			file, err = filepath.EvalSymlinks(file)
		}
		if err == nil {
			err = os.Symlink(file, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runScript starts ./test.sh with arguments on such a machine, and returns what it prints and its exit status.
func runScript(t *testing.T, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command("../../test.sh", args...)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "PATH="+bare(t), "GOROOT="+strings.TrimSpace(string(goroot)))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// With Go, git and bash alone the missing programs are said once, a test that needs one is left out and counted, and all else is run.
func TestScript(t *testing.T) {
	out, status := runScript(t, "./install", "-run", "^(TestZdotdir|TestPathDoesNotGrow)$")
	if status != 0 || strings.Count(out, "These programs are missing: zsh fish tmux ") != 1 ||
		!strings.Contains(out, "left out:    3 needs fish\nleft out:    5 needs zsh\n5 passed, 0 failed, 8 left out, in ") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func TestScriptRequires(t *testing.T) {
	out, status := runScript(t, "--require", "./say")
	if status != 1 || !strings.HasPrefix(out, "These programs are missing: zsh ") || strings.Contains(out, "passed") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func TestScriptHelp(t *testing.T) {
	if out, status := runScript(t, "--help"); status != 0 || !strings.HasPrefix(out, "usage: ./test.sh ") {
		t.Errorf("status %d:\n%s", status, out)
	}
}
