package process

import (
	"errors"
	"os"
	"reflect"
	"testing"
)

func TestParseStat(t *testing.T) {
	rest := " S 10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 10"
	for _, name := range []string{"codex", "a) S 1 (b", "line\nbreak", ""} {
		got, err := parseStat(7, "7 ("+name+")"+rest)
		want := Process{PID: 7, Command: name, parent: 10, session: 30, start: 4711}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("parseStat of %q = %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, text := range []string{"", "7 (codex) S 1", ") (", "7 (codex) S x 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711"} {
		if got, err := parseStat(7, text); err == nil {
			t.Errorf("parseStat(%q) = %+v, want an error", text, got)
		}
	}
	if _, err := parseStat(7, "7 (codex) Z"+rest[2:]); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("parseStat of a zombie: %v, want %v", err, os.ErrProcessDone)
	}
}

// A survey that was taken while pids were reused can make a process its own ancestor.
func TestAncestorsInARing(t *testing.T) {
	s := Survey{1: {PID: 1, parent: 3}, 2: {PID: 2, parent: 1}, 3: {PID: 3, parent: 2}}
	if got := len(s.ancestors(2)); got != 2 {
		t.Errorf("%d ancestors, want 2", got)
	}
}
