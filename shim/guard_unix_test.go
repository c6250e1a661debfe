//go:build unix

package shim

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/say"
)

var shimID, copyID, wrapperID = FileID{1, 10}, FileID{math.MaxUint64, math.MaxUint64}, FileID{2, 10}

func TestParseGuard(t *testing.T) {
	g := guard{pid: 1, parent: 2, hop: 3, call: math.MaxUint64, seen: []FileID{shimID, copyID}}
	if got, ok := parseGuard(config.Env{"A=1", GuardVariable + "=" + g.String()}); !ok || !reflect.DeepEqual(got, g) {
		t.Errorf("parseGuard(%q) = %+v, %t, want %+v", g, got, ok, g)
	}
	for _, text := range []string{"", "=", "1:2:3=1.10", "1:2:3:4", "1:2:3:4=", "1:2:3:g=1.10", "x:2:3:4=1.10", "1:2:3:4=1", "18446744073709551616:2:3:4=1.10"} {
		if got, ok := parseGuard(config.Env{GuardVariable + "=" + text}); ok || !reflect.DeepEqual(got, guard{}) {
			t.Errorf("parseGuard(%q) = %+v, %t, want none", text, got, ok)
		}
	}
}

func TestGuardNext(t *testing.T) {
	const call, other = 7, 8
	before := guard{pid: 5, parent: 4, hop: 2, call: call, seen: []FileID{shimID, wrapperID}}
	for _, tt := range []struct {
		name string
		g    guard
		call uint64
		self FileID
		same bool
		want guard
	}{
		{"the first call", guard{}, 0, shimID, false, guard{6, 1, 1, 0, []FileID{shimID}}},
		{"exec'd by a shim: what was seen is skipped", before, other, copyID, true, guard{6, 1, 2, other, []FileID{shimID, wrapperID, copyID}}},
		{"exec'd, the shim itself again", before, call, shimID, true, guard{6, 1, 2, call, []FileID{shimID, wrapperID}}},
		{"a child with the same call", before, call, shimID, false, guard{6, 1, 3, call, []FileID{shimID}}},
		{"a child with another call", before, other, shimID, false, guard{6, 1, 1, other, []FileID{shimID}}},
	} {
		if got := tt.g.next(6, 1, tt.call, tt.self, tt.same); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: next = %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// The fourth hop of one call through children is the end; a wrapper that execs never gets there, nor do different calls.
func TestGuardLoop(t *testing.T) {
	same, execs, others := guard{}, guard{}, guard{}
	for hop := 1; hop <= 6; hop++ {
		same = same.next(hop, 1, 7, shimID, false).with(wrapperID)
		err := same.loop(Program{Path: "/w/codex", ID: wrapperID})
		if (err != nil) != (hop >= maxHops) {
			t.Errorf("hop %d: %v", hop, err)
		}
		if err != nil && (status(err) != 126 || !strings.Contains(err.Error(), "/w/codex runs codex again") || len(say.Hints(err)) == 0) {
			t.Errorf("hop %d: %v with status %d and hints %q", hop, err, status(err), say.Hints(err))
		}
		execs = execs.next(1, 1, 7, FileID{3, uint64(hop)}, hop > 1)
		others = others.next(hop, 1, callHash([]string{strings.Repeat("a", hop)}, "/", "x"), shimID, false)
	}
	if execs.hop != 1 || len(execs.seen) != 6 || others.hop != 1 {
		t.Errorf("six execs are %+v, six calls %+v", execs, others)
	}
}
