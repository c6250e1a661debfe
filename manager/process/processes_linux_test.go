package process

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func TestParseStat(t *testing.T) {
	rest := " S 10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 10"
	for _, name := range []string{"codex", "a b", "a) S 1 (b", "line\nbreak", ""} {
		got, err := parseStat(7, "7 ("+name+")"+rest)
		want := Process{PID: 7, Command: name, parent: 10, session: 30, start: 4711}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("parseStat of %q = %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, text := range []string{"", "7 codex", "7 (codex) S 1", ") (", "7 (codex) S x 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711"} {
		if got, err := parseStat(7, text); err == nil {
			t.Errorf("parseStat(%q) = %+v, want an error", text, got)
		}
	}
	if _, err := parseStat(7, "7 (codex) Z"+rest[2:]); !errors.Is(err, errEnded) {
		t.Errorf("parseStat of a zombie: %v, want %v", err, errEnded)
	}
}

func TestProcessEnvKeepsTheFirst(t *testing.T) {
	var e processEnv
	for _, entry := range []string{"CODEX_HOME=/a", "CODEX_HOME=/b", "HOMEBREW=/c", "HOME=/d", "TOKEN=x", "", "CODEX_THREAD_ID=1"} {
		e.keepBytes([]byte(entry))
	}
	want := processEnv{codexHome: "/a", home: "/d", thread: "1"}
	if e != want {
		t.Errorf("kept %+v, want %+v", e, want)
	}
}

// A table that was read while pids were given again can name a process as its own ancestor.
func TestAboveEndsInARing(t *testing.T) {
	table := processTable{1: {PID: 1, parent: 3}, 2: {PID: 2, parent: 1}, 3: {PID: 3, parent: 2}}
	if got := len(table.above(2)); got != 2 {
		t.Errorf("%d ancestors, want 2", got)
	}
}

func TestAgainKnowsAnotherProcess(t *testing.T) {
	p, _, err := readProcess(os.Getpid(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.again(); err != nil {
		t.Errorf("again of a live process: %v", err)
	}
	p.start++
	if _, err := p.again(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("again of a pid given anew: %v, want %v", err, os.ErrNotExist)
	}
}

// testAccount is an account's homes and its lock file.
type testAccount struct{ home, codexHome, lock string }

func newTestAccount(t *testing.T) testAccount {
	t.Helper()
	dir := t.TempDir()
	a := testAccount{home: filepath.Join(dir, "home"), codexHome: filepath.Join(dir, "home", ".codex"), lock: filepath.Join(dir, "work")}
	if err := os.MkdirAll(a.codexHome, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// child is a process of a test. It ends by itself when the test does, for then its standard input does.
type child struct {
	*exec.Cmd
	out *bufio.Reader
}

// startChild starts cmd and returns when it wrote its first line, the event that it is what the test wants it to be.
func startChild(t *testing.T, cmd *exec.Cmd) child {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill() // it may be stopped
		_ = cmd.Wait()         // killed or not
	})
	if _, err := in.Write([]byte("ready\n")); err != nil {
		t.Fatal(err)
	}
	c := child{cmd, bufio.NewReader(out)}
	if line, err := c.out.ReadString('\n'); err != nil {
		t.Fatalf("%v said %q: %v", cmd.Args, line, err)
	}
	return c
}

// catWith is a harmless command in an environment.
func catWith(env ...string) *exec.Cmd {
	cmd := exec.Command("cat")
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	return cmd
}

func mustUse(t *testing.T, a testAccount) Use {
	t.Helper()
	use, err := InUse(a.codexHome, a.lock)
	if err != nil {
		t.Fatal(err)
	}
	return use
}

// mustUseOfSurvey is mustUse by the way of those who ask about many accounts.
func mustUseOfSurvey(t *testing.T, a testAccount) Use {
	t.Helper()
	survey, err := TakeSurvey()
	if err != nil {
		t.Fatal(err)
	}
	use, err := survey.InUse(a.codexHome, a.lock)
	if err != nil {
		t.Fatal(err)
	}
	return use
}

func pids(list []Process) []int {
	var all []int
	for _, p := range list {
		all = append(all, p.PID)
	}
	return all
}

// wantUse wants these processes, and no hidden one, to use the account.
func wantUse(t *testing.T, a testAccount, want ...int) {
	t.Helper()
	slices.Sort(want)
	for how, use := range map[string]Use{"InUse": mustUse(t, a), "InUse of a survey": mustUseOfSurvey(t, a)} {
		if got := pids(use.Processes); !slices.Equal(got, want) || use.Unseen || use.NoLocks {
			t.Errorf("%s = %v, unseen %v, no locks %v; want the pids %v", how, use.Processes, use.Unseen, use.NoLocks, want)
		}
	}
}
