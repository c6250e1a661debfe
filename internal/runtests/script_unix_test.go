//go:build unix

package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bare returns a PATH with what usage says is needed, and what the script itself and Go start.
func bare(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go", "git", "bash", "find", "xargs", "sh", "env", "dirname", "mktemp", "chmod", "rm", "rmdir"} {
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

// runScript starts ./test.sh with arguments on such a machine, and returns what it prints and its exit status. It leaves no file.
func runScript(t *testing.T, args ...string) (string, int) {
	t.Helper()
	return runScriptOn(t, bare(t), args...)
}

func runScriptOn(t *testing.T, path string, args ...string) (string, int) {
	t.Helper()
	temp := t.TempDir()
	cmd := exec.Command("../../test.sh", args...)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
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

// With nothing but what usage names, test.sh says once which programs are missing, leaves out and counts the tests that need them, and runs all others.
func TestScript(t *testing.T) {
	out, status := runScript(t, "./install", "-run", "^(TestZdotdir|TestPathDoesNotGrow)$")
	if status != 0 || strings.Count(out, "These programs are missing: zsh fish tmux ") != 1 ||
		!strings.Contains(out, "left out:    3 needs fish\nleft out:    5 needs zsh\n5 passed, 0 failed, 8 left out, in ") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func TestScriptRequires(t *testing.T) {
	out, status := runScript(t, "--require", "./say")
	if status != 1 || !strings.HasPrefix(out, "test.sh: these programs are missing: zsh ") || !strings.HasSuffix(out, "\ntest.sh: hint: ./test.sh --install\n") ||
		strings.Contains(out, "left out") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// Each program that usage says is needed is asked for before a test is run.
func TestScriptNeeds(t *testing.T) {
	for _, name := range []string{"git", "find", "xargs"} {
		path := bare(t)
		if err := os.Remove(filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
		out, status := runScriptOn(t, path, "./say")
		if want := "test.sh: these programs are missing: " + name + "\ntest.sh: hint: ./test.sh --install\n"; status != 1 || out != want {
			t.Errorf("without %s, status %d:\n%swant\n%s", name, status, out, want)
		}
	}
}

func TestScriptUnknownFlag(t *testing.T) {
	out, status := runScript(t, "-v", "--requrie", "./say")
	if want := "test.sh: unknown flag --requrie\ntest.sh: hint: ./test.sh --help\n"; status != 2 || out != want {
		t.Errorf("status %d:\n%swant\n%s", status, out, want)
	}
}

// A test that leaves files, and closes their directory to its owner, leaves nothing in the temporary directory.
func TestScriptLeavesNothing(t *testing.T) {
	runScript(t, "./internal/runtests", "-run", "^TestLitter$", "-args", "-litter")
}

var litter = flag.Bool("litter", false, "leave a file in the temporary directory")

func TestLitter(t *testing.T) {
	if !*litter {
		return
	}
	dir := filepath.Join(os.TempDir(), "left")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "in"), 0o700), os.Chmod(dir, 0o500)); err != nil {
		t.Fatal(err)
	}
}

func TestScriptHelp(t *testing.T) {
	if out, status := runScript(t, "--help"); status != 0 || !strings.HasPrefix(out, "usage: ./test.sh ") {
		t.Errorf("status %d:\n%s", status, out)
	}
}
