//go:build unix

// Package swop_test runs the scripts in testdata/script: each shows one family of behaviours of the two binaries, with a fake in the
// real codex's place. What only the real program can show is in e2e.
package swop_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"swop/internal/testhome"
)

func TestMain(m *testing.M) {
	becomeTraced()
	if os.Getenv("FAKE_SHOW") == "argv0" && filepath.Base(os.Args[0]) != "with" {
		showArgv0()
		return
	}
	testscript.Main(&suite{m}, map[string]func(){
		"fakecodex": func() { fakeMain(os.Args[1], os.Args[2:]) }, // the interpreter of a fake's first line
		"codex":     fakeNative,
		"with":      withMain,
		"killat":    killAtMain,
		"failat":    failAtMain,
		"amid":      amidMain,
	})
}

// suite makes the programs that the scripts use before the tests, and removes them after.
type suite struct{ tests *testing.M }

// programs is the directory with the programs, "" until they are made.
var programs string

func (s *suite) Run() int {
	scratch := testhome.ProgramScratch()
	err := os.Setenv("GOTMPDIR", scratch) // where testscript makes its directories
	dir := ""
	if err == nil {
		dir, err = os.MkdirTemp(scratch, "swop-script-") // beside them, so that files can be linked
	}
	if err == nil {
		defer os.RemoveAll(dir)
		programs, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		err = makePrograms(programs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return s.tests.Run()
}

// makePrograms builds swop into bin/ and puts what the scripts need besides into tools/. testscript's own directory of commands is not
// put on PATH: its codex would be found.
func makePrograms(dir string) error {
	for name, pkg := range map[string]string{"codex": "./shim/codex", "codex-swop": "./manager/codex-swop"} {
		build := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(dir, "bin", name), pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "tools"), 0o755); err != nil {
		return err
	}
	for _, name := range []string{"with", "killat", "failat", "amid"} {
		tool, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(tool, filepath.Join(dir, "tools", name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		Setup:              setUp,
		Cmds:               scriptCommands(),
		Condition:          condition,
		RequireUniqueNames: true,
		ContinueOnError:    true,
		Deadline:           time.Now().Add(30 * time.Minute),
	})
}

// setUp gives a script a fresh home, a fake codex behind the shim on PATH, and nothing of the environment that the tests run in.
func setUp(env *testscript.Env) error {
	home, fakes := filepath.Join(env.WorkDir, "home"), filepath.Join(env.WorkDir, "fake")
	bin, tools := filepath.Join(programs, "bin"), filepath.Join(programs, "tools")
	for _, dir := range []string{env.WorkDir, home} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.Chmod(dir, 0o700)); err != nil {
			return err
		}
	}
	if err := writeFake(filepath.Join(fakes, "codex")); err != nil {
		return err
	}
	env.Values[snapshotsKey{}] = map[string]tree{}
	env.Vars = []string{
		"WORK=" + env.WorkDir,
		"PATH=" + bin + ":" + fakes + ":" + tools + ":/usr/bin:/bin",
		"HOME=" + home,
		"TMPDIR=" + filepath.Join(env.WorkDir, ".tmp"),
		"BIN=" + bin,
		"FAKES=" + fakes,
		"TOOLS=" + tools,
		"SANDBOXES=" + filepath.Join(home, ".swop", "accounts"),
		"FAKE_LOG=" + filepath.Join(env.WorkDir, "log"),
		":=:", "/=/", "$=$",
	}
	return nil
}

// condition: [root] is the superuser, whom permissions do not stop; [unshare] may mount in a namespace of its own, and [userns] as
// anyone in a user namespace.
func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "unshare":
		return exec.Command("/usr/bin/unshare", "-m", "/bin/mount", "--version").Run() == nil, nil
	case "userns":
		return exec.Command("/usr/bin/unshare", "-rm", "/bin/mount", "--version").Run() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}
