//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"swop/internal/test/testfile"
	"swop/internal/test/testhome"
)

// bare returns a PATH with what usage says is needed, and what the script itself and Go start.
func bare(t *testing.T) string {
	t.Helper()
	return testfile.LinkPrograms(t, t.TempDir(), "go", "git", "bash", "find", "xargs", "sh", "env", "dirname", "mktemp", "chmod", "rm",
		"rmdir")
}

// runScript starts ./test.sh with arguments and this PATH, and returns what it prints and its exit status. It leaves no file.
func runScript(t *testing.T, path string, args ...string) (string, int) {
	t.Helper()
	temp := t.TempDir()
	cmd := exec.Command("../../../test.sh", args...)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	testhome.NoError(t, err)
	cmd.Env = append(os.Environ(), "PATH="+path, "TMPDIR="+temp, "GOROOT="+strings.TrimSpace(string(goroot)))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// With nothing but what usage names, test.sh says once which programs are missing, leaves out and counts the tests that need them, and runs
// all others.
func TestScript(t *testing.T) {
	testhome.NotShort(t, "runs go test")
	out, status := runScript(t, bare(t), "./install", "./internal/say", "-run", "^(TestEnv|TestBytes)$")
	if status != 0 || strings.Count(out, "These programs are missing: zsh fish tmux ") != 1 || !strings.Contains(out, " needs zsh\n") ||
		!strings.Contains(out, "ok    swop/internal/say") || !strings.Contains(out, " 0 failed, ") {
		t.Errorf("status %d:\n%s", status, out)
	}
}
