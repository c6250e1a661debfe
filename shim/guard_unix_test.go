//go:build unix

package shim

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/say"
	"swop/internal/test/testhome"
)

func TestParseGuard(t *testing.T) {
	g := guard{1, 2, 3, FileID{math.MaxUint64, math.MaxUint64}}
	if got := parseGuard(config.Env{"A=1", GuardVariable + "=" + g.String()}); got != g {
		t.Errorf("parseGuard(%q) = %+v, want %+v", g, got, g)
	}
	for _, text := range []string{
		"", "=", "1:2=1.10", "1:2:3", "1:2:3=", "1:2:g=1.10", "x:2:3=1.10", "1:2:3=1",
		"18446744073709551616:2:3=1.10",
	} {
		if got := parseGuard(config.Env{GuardVariable + "=" + text}); got != (guard{}) {
			t.Errorf("parseGuard(%q) = %+v, want none", text, got)
		}
	}
}

// Which of a wrapper, a program and another one behind them is started, by what the processes above tell.
func TestPassOver(t *testing.T) {
	base := t.TempDir()
	wrapper, program, other := bin(t, base, "wrapper"), bin(t, base, "program"), bin(t, base, "other")
	for _, native := range []string{program, other} {
		testhome.NoError(t, os.WriteFile(native, []byte("\x7fELF"), 0o755))
	}
	wrapped := func(pid, starts int) guard {
		return guard{pid, 1, starts, identity(t, wrapper)}
	}
	above := func(g guard) string { return g.String() }
	sh := Ancestor{PID: 7, Program: "sh"}
	for _, tt := range []struct {
		name   string
		env    guard
		starts int // before this one
		above  []Ancestor
		want   string
	}{
		{"below the wrapper", wrapped(5, 1), 1, []Ancestor{sh, {5, "sh", ""}}, program},
		{"below the wrapper, whose guard is lost", guard{}, 1, []Ancestor{sh, {5, "sh", above(wrapped(5, 1))}}, program},
		{"below a codex that the wrapper started", wrapped(5, 1), 1, []Ancestor{sh, {6, "codex", ""}, {5, "sh", ""}}, wrapper},
		{"below a codex that the wrapper became", guard{}, 1, []Ancestor{sh, {5, "codex (deleted)", above(wrapped(5, 1))}}, wrapper},
		{"below the wrapper, by swop's own program", wrapped(5, 1), 1, []Ancestor{{6, "codex-swop", ""}, {5, "sh", ""}}, program},
		{"below what cannot be seen", wrapped(5, 1), 1, nil, wrapper},
		{"the wrapper was this process, and its guard is lost", guard{}, 1, []Ancestor{sh}, program},
		{"likewise, in a session", guard{}, 2, []Ancestor{{5, "codex", above(guard{5, 1, 1, FileID{9, 9}})}}, program},
		{"a program, whose guard is lost", guard{}, 4, nil, program},
	} {
		c := Call{
			Above:      func() ([]Ancestor, error) { return tt.above, nil },
			Executable: func() (string, error) { return "", errors.New("unknown") },
		}
		d := Decision{}
		d.Invocation.Env = config.Env{"PATH=" + base + "/wrapper:" + base + "/program:" + base + "/other"}
		d.Program, _ = c.find(&d, FileID{})
		if err := c.passOver(&d, tt.env, tt.starts); err != nil || d.Program.Path != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, d.Program.Path, err, tt.want)
		}
	}
}

func TestGuardLoop(t *testing.T) {
	for starts := 1; starts <= maxStarts; starts++ {
		err := guard{starts: starts}.loop(Program{Path: "/w/codex"})
		if (err != nil) != (starts == maxStarts) {
			t.Errorf("start %d: %v", starts, err)
		}
		if err != nil && (status(err) != 126 || !strings.Contains(err.Error(), "/w/codex runs codex again") || len(say.Hints(err)) == 0) {
			t.Errorf("start %d: %v with status %d and hints %q", starts, err, status(err), say.Hints(err))
		}
	}
}
