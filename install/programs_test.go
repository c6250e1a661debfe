//go:build unix

package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"swop/internal/disk"
	"swop/internal/test/testhome"
)

// standIns returns a directory with a codex and a codex-swop that Go built from packages of swop's names. They print the version. The
// installer looks no closer; the real ones are installed by the tests of install.sh.
func standIns(t *testing.T, version string) string {
	t.Helper()
	dir, err := buildStandIns(version)
	testhome.NoError(t, err)
	return dir
}

var (
	standInDir  string // made by TestMain
	standInLock sync.Mutex
)

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	var dir string
	err := os.Setenv("TMPDIR", testhome.ProgramScratch()) // an install syncs what it writes
	if err == nil {
		dir, err = os.MkdirTemp("", "swop-install-test-")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	standInDir = dir
	return testhome.Suite{Tests: m, Programs: []string{"zsh", "fish", "shellcheck"}}.Run()
}

func buildStandIns(version string) (string, error) {
	if dir := os.Getenv("STAND_INS"); dir != "" { // an ordinary user's run, which root started
		return dir, nil
	}
	standInLock.Lock()
	defer standInLock.Unlock()
	dir := filepath.Join(standInDir, version)
	out := filepath.Join(dir, "out")
	if exists(out) {
		return out, nil
	}
	source := fmt.Sprintf("package main\n\nfunc main() { println(%q) }\n", version)
	for name, text := range map[string]string{
		"go.mod": "module swop\n\ngo 1.26\n", "shim/codex/main.go": source, "manager/codex-swop/main.go": source,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", out+"/", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v\n%s", err, text)
	}
	return out, nil
}

func TestUpgradeWhileRunning(t *testing.T) {
	h := newHome(t, "bash")
	h.install(t)
	codex := filepath.Join(h.bin(), "codex")
	running, err := os.Open(codex) // as a running program holds it
	testhome.NoError(t, err)
	defer running.Close()
	h.o.From = standIns(t, "v2")
	h.install(t)
	if out := h.run(t, codex); !strings.Contains(out, "v2") {
		t.Errorf("after the upgrade codex prints %q, want v2", out)
	}
	before, err := running.Stat()
	testhome.NoError(t, err)
	if after, err := os.Stat(codex); err != nil || os.SameFile(before, after) {
		t.Errorf("the running program was written over (%v)", err)
	}
}

func TestForeignCodexStays(t *testing.T) {
	script := "#!/bin/sh\necho mine\n"
	for name, put := range map[string]func(path string) error{
		"script":    func(p string) error { return os.WriteFile(p, []byte(script), 0o755) },
		"link":      func(p string) error { return os.Symlink("/bin/true", p) },
		"dangling":  func(p string) error { return os.Symlink("nowhere", p) },
		"directory": func(p string) error { return os.Mkdir(p, 0o755) },
		"go":        func(p string) error { return os.Link(goProgram(t, p), p) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, "bash")
			codex := filepath.Join(h.bin(), "codex")
			testhome.NoError(t, errors.Join(os.MkdirAll(h.bin(), 0o755), put(codex)))
			before := snapshot(t, h.o.Home)
			_, err := Install(h.o)
			if !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), codex) {
				t.Errorf("Install = %v, want disk.ErrUnsafe and the file", err)
			}
			before.same(t, h.o.Home)
		})
	}
}

// goProgram returns a Go program that is not swop's, on the file system of path: the two names exchanged.
func goProgram(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(standIns(t, "v1"), "codex-swop"))
	testhome.NoError(t, err)
	file := filepath.Join(filepath.Dir(path), "other")
	testhome.NoError(t, os.WriteFile(file, data, 0o755))
	return file
}

func TestForeignCodexSurvivesUninstall(t *testing.T) {
	h := newHome(t, "bash")
	h.install(t)
	codex := filepath.Join(h.bin(), "codex")
	testhome.NoError(t, os.WriteFile(codex, []byte("#!/bin/sh\n"), 0o755))
	r := h.uninstall(t)
	if !exists(codex) || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Text, codex) {
		t.Errorf("uninstall of a replaced codex: warnings %q, the file there: %v", r.Warnings, exists(codex))
	}
}

func TestFromMustHoldPrograms(t *testing.T) {
	h := newHome(t, "bash")
	before := snapshot(t, h.o.Home)
	for _, from := range []string{"", "/usr/bin", h.o.Home} {
		h.o.From = from
		if _, err := Install(h.o); !errors.Is(err, ErrUsage) {
			t.Errorf("Install from %q = %v, want ErrUsage", from, err)
		}
	}
	before.same(t, h.o.Home)
}

func TestUninstallRemovesNpmCodex(t *testing.T) {
	h := newHome(t, "bash")
	h.install(t)
	npm := filepath.Join(h.prefix(), "npm")
	module := filepath.Join(npm, "lib/node_modules/@openai/codex")
	testhome.NoError(t, errors.Join(os.MkdirAll(module, 0o755), os.MkdirAll(filepath.Join(npm, "bin"), 0o755)))
	testhome.NoError(t, os.Symlink("../lib/node_modules/@openai/codex/x.js", filepath.Join(npm, "bin/codex")))
	testhome.NoError(t, os.WriteFile(filepath.Join(module, "x.js"), nil, 0o755))
	r := h.uninstall(t)
	if exists(h.prefix()) || !strings.Contains(r.Text(), npm) || !strings.Contains(r.Text(), "npm install -g") {
		t.Errorf("after uninstall the prefix is there: %v; it prints\n%s", exists(h.prefix()), r.Text())
	}
}
