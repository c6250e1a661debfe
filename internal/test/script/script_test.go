//go:build unix

// Package swop_test runs the scripts in testdata/script: each shows one family of behaviours of the two binaries, with a fake in the
// real codex's place. What only the real program can show is in e2e.
package swop_test

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"swop/internal/test/testbuild"
	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "fetch" {
		if err := fetch(); err != nil {
			fmt.Fprintln(os.Stderr, "fetch:", err)
			os.Exit(99)
		}
		return
	}
	suite := testhome.Suite{Tests: m, Programs: []string{
		"zsh", "fish", "shellcheck", "perl", "userns", "strace", "script", "ssh", "tmux",
		"node", "gh", "bwrap", testprogram.Repeats,
	}}
	status := suite.Run()
	if err := os.RemoveAll(programs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// complete asks for as many starts at once as docs/evidence/reliability.md names, a kill of confined sessions at each call, not each sixth
// one:
//
//	go test ./internal/test/script -run 'TestScripts/(concurrent_|confine_.*killed$)' -complete
var complete = flag.Bool("complete", false, "start a thousand shims at once, kill confined sessions at every call")

// programs is the directory with the programs that the scripts use, "" until they are made.
var programs string

// codexfake is the program that acts as each fake codex, and by other names as other programs.
func codexfake() string { return filepath.Join(programs, "bin", "codexfake") }

// makePrograms builds swop and the fake into bin/, and links what else scripts need, once for all tests.
func makePrograms(t *testing.T) {
	check := func(err error) { testhome.NoError(t, err) }
	scratch := testhome.ProgramScratch()
	check(os.Setenv("GOTMPDIR", scratch))             // where testscript makes its directories
	dir, err := os.MkdirTemp(scratch, "swop-script-") // beside them, so that files can be linked
	check(err)
	programs, err = filepath.EvalSymlinks(dir)
	check(err)
	check(testbuild.Programs(filepath.Join(programs, "bin")))
	self, err := os.Executable()
	check(err)
	text, err := os.ReadFile(self)
	check(err)
	check(os.Mkdir(filepath.Join(programs, "tools"), 0o755))
	check(os.WriteFile(filepath.Join(programs, "tools", "fetch"), text, 0o755))
	files, err := given.ReadDir("given")
	check(err)
	for _, f := range files {
		text, err := given.ReadFile("given/" + f.Name())
		check(err)
		texts[f.Name()] = string(text)
	}
	for _, name := range []string{"with", "seen", "killat", "failat", "amid"} {
		check(os.Symlink(codexfake(), filepath.Join(programs, "tools", name)))
	}
}

func TestScripts(t *testing.T) {
	makePrograms(t)
	t.Cleanup(func() { typeHints(t) }) // after the last script
	testscript.Run(t, testscript.Params{
		Files:              scripts(t),
		Setup:              setUp,
		Cmds:               scriptCommands(),
		Condition:          condition,
		RequireUniqueNames: true,
		ContinueOnError:    true,
		Deadline:           time.Now().Add(30 * time.Minute),
	})
}

// scripts returns the scripts to run: all of them, but with -short only every sixth, unless -run names one.
func scripts(t *testing.T) []string {
	all, err := filepath.Glob("../../../testdata/script/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("no script: %v", err)
	}
	next, step := testhome.Points(t, 6)
	if run := flag.Lookup("test.run"); strings.Contains(run.Value.String(), "/") {
		next, step = 0, 1
	}
	var chosen []string
	for ; next < len(all); next += step {
		chosen = append(chosen, all[next])
	}
	if left := len(all) - len(chosen); left > 0 {
		t.Run("others", func(t *testing.T) { testhome.NotShort(t, fmt.Sprintf("%d scripts", left)) })
	}
	return chosen
}

// given are files that each script has in $WORK unless it brings its own: what scripts run, and what an account's limits are.
//
//go:embed given
var given embed.FS

// texts are given files by name, among them a login's key, what a person types, a setting.
var texts = map[string]string{
	"key": "sk-" + testbuild.Planted + "\n", "key2": "sk-" + testbuild.Planted + "-2\n", "yes": "y\n", "no": "n\n", "nothing": "\n", "ctrl-c": "\x03", "ctrl-d": "\x04",
	"isolated": "isolation = \"codex-home\"\n", "keyring": "cli_auth_credentials_store = \"keyring\"\n",
}

// scriptTime bounds a script: what a defect lets hang is killed, so that the script fails with what it has printed.
const scriptTime = 6 * time.Minute

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
	for name, text := range texts {
		if file := filepath.Join(env.WorkDir, name); !testhome.Exists(file) {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				return err
			}
		}
	}
	ended := make(chan struct{})
	env.Defer(func() { close(ended) })
	go func() {
		for wait := scriptTime; ; wait = time.Second { // what the script starts after that hangs most likely as well
			select {
			case <-ended:
				return
			case <-time.After(wait):
				killIn(env.WorkDir)
			}
		}
	}()
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
		"CODEX_FAKE_LOG=" + filepath.Join(env.WorkDir, "log"),
		":=:", "/=/", "$=$",
	}
	if os.Geteuid() == 0 {
		env.Vars = append(env.Vars, "SWOP_ALLOW_ROOT=1")
	}
	return nil
}

// killIn kills all programs that a script in dir has started, in confined sessions too: they have its environment. Without /proc a script
// that hangs ends with the whole run.
func killIn(dir string) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is good
	for _, file := range list {
		environ, err := os.ReadFile(file)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))) // the pattern has digits
		if err == nil && strings.Contains("\x00"+string(environ), "\x00WORK="+dir+"\x00") {
			_ = unix.Kill(pid, unix.SIGKILL) // it may have ended
		}
	}
}

// condition: [without:zsh] says that the program zsh is left out, for a script that skips itself then; [root] is the superuser, whom
// permissions do not stop; [unshare] may mount in a namespace of its own, and [userns] as anyone in a user namespace.
func condition(name string) (bool, error) {
	if program, ok := strings.CutPrefix(name, "without:"); ok {
		return testhome.IsLeftOut(program)
	}
	switch name {
	case "complete":
		return *complete, nil
	case "root":
		return os.Geteuid() == 0, nil
	case "unshare":
		return exec.Command("/usr/bin/unshare", "-m", "/bin/mount", "--version").Run() == nil, nil
	case testprogram.UserNS:
		return testprogram.Found(name), nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}
