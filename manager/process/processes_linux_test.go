package process

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"

	"swop/manager/process/processtest"
)

func TestParseStat(t *testing.T) {
	rest := " S 10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 10"
	for _, name := range []string{"codex", "a b", "a) S 1 (b", "line\nbreak", ""} {
		got, err := parseStat(7, "7 ("+name+")"+rest)
		want := Process{PID: 7, Command: name, Parent: 10, session: 30, Start: 4711}
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
	want := processEnv{CodexHome: "/a", home: "/d", Thread: "1"}
	if e != want {
		t.Errorf("kept %+v, want %+v", e, want)
	}
}

// A table that was read while pids were given again can name a process as its own ancestor.
func TestAboveEndsInARing(t *testing.T) {
	table := ProcessTable{1: {PID: 1, Parent: 3}, 2: {PID: 2, Parent: 1}, 3: {PID: 3, Parent: 2}}
	if got := len(table.Above(2)); got != 2 {
		t.Errorf("%d ancestors, want 2", got)
	}
}

func TestAgainKnowsAnotherProcess(t *testing.T) {
	p, _, err := ReadProcess(os.Getpid(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Again(); err != nil {
		t.Errorf("again of a live process: %v", err)
	}
	p.Start++
	if _, err := p.Again(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("again of a pid given anew: %v, want %v", err, os.ErrNotExist)
	}
}

func mustUse(t *testing.T, a processtest.TestAccount) Use {
	t.Helper()
	use, err := InUse(a.CodexHome, a.Lock)
	if err != nil {
		t.Fatal(err)
	}
	return use
}

// mustUseOfSurvey is mustUse by the way of those who ask about many accounts.
func mustUseOfSurvey(t *testing.T, a processtest.TestAccount) Use {
	t.Helper()
	survey, err := TakeSurvey()
	if err != nil {
		t.Fatal(err)
	}
	use, err := survey.InUse(a.CodexHome, a.Lock)
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
func wantUse(t *testing.T, a processtest.TestAccount, want ...int) {
	t.Helper()
	slices.Sort(want)
	for how, use := range map[string]Use{"InUse": mustUse(t, a), "InUse of a survey": mustUseOfSurvey(t, a)} {
		if got := pids(use.Processes); !slices.Equal(got, want) || use.Unseen || use.NoLocks {
			t.Errorf("%s = %v, unseen %v, no locks %v; want the pids %v", how, use.Processes, use.Unseen, use.NoLocks, want)
		}
	}
}
