//go:build unix

package shim

import (
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/say"
	"swop/internal/test/testhome"
)

var shimID, copyID = FileID{1, 10}, FileID{math.MaxUint64, math.MaxUint64}

func TestParseGuard(t *testing.T) {
	g := guard{pid: 1, parent: 2, starts: 3, seen: []FileID{shimID, copyID}}
	if got, ok := parseGuard(config.Env{"A=1", GuardVariable + "=" + g.String()}); !ok || !reflect.DeepEqual(got, g) {
		t.Errorf("parseGuard(%q) = %+v, %t, want %+v", g, got, ok, g)
	}
	for _, text := range []string{"", "=", "1:2=1.10", "1:2:3", "1:2:3=", "1:2:g=1.10", "x:2:3=1.10", "1:2:3=1", "18446744073709551616:2:3=1.10"} {
		if got, ok := parseGuard(config.Env{GuardVariable + "=" + text}); ok || !reflect.DeepEqual(got, guard{}) {
			t.Errorf("parseGuard(%q) = %+v, %t, want none", text, got, ok)
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
		return guard{pid: pid, parent: 1, starts: starts, seen: []FileID{shimID, identity(t, wrapper)}}
	}
	above := func(g guard) string { return g.String() }
	sh := Ancestor{PID: 7, Program: "sh"}
	for _, tt := range []struct {
		name   string
		env    guard
		starts int // of what is started now
		above  []Ancestor
		want   string
	}{
		{"below the wrapper", wrapped(5, 1), 2, []Ancestor{sh, {5, "sh", ""}}, program},
		{"below the wrapper, whose guard is lost", guard{}, 2, []Ancestor{sh, {5, "sh", above(wrapped(5, 1))}}, program},
		{"below a codex that the wrapper started", wrapped(5, 1), 2, []Ancestor{sh, {6, "codex", ""}, {5, "sh", ""}}, wrapper},
		{"below a codex that the wrapper became", guard{}, 2, []Ancestor{sh, {5, "codex (deleted)", above(wrapped(5, 1))}}, wrapper},
		{"below the wrapper, by swop's own program", wrapped(5, 1), 2, []Ancestor{{6, "codex-swop", ""}, {5, "sh", ""}}, program},
		{"below what cannot be seen", wrapped(5, 1), 2, nil, wrapper},
		{"the wrapper was this process, and its guard is lost", guard{}, 2, []Ancestor{sh}, program},
		{"likewise, in a session", guard{}, 3, []Ancestor{{5, "codex", above(guard{5, 1, 1, []FileID{shimID, {9, 9}}})}}, program},
		{"a program, whose guard is lost", guard{}, 5, nil, program},
	} {
		c := Call{Above: func() []Ancestor { return tt.above }, Executable: func() (string, error) { return "", errors.New("unknown") }}
		d := Decision{guard: guard{starts: tt.starts, seen: []FileID{shimID}}}
		d.Invocation.Env = config.Env{"PATH=" + base + "/wrapper:" + base + "/program:" + base + "/other"}
		d.Program, _ = c.find(&d)
		if err := c.passOver(&d, tt.env); err != nil || d.Program.Path != tt.want {
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
