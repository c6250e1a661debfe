//go:build unix

package shim

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"swop/config"
	"swop/internal/say"
)

var (
	shimID    = FileID{1, 10}
	copyID    = FileID{1, 11}
	wrapperID = FileID{2, 10}
	codexID   = FileID{math.MaxUint64, math.MaxUint64}
)

func TestGuardRoundTrip(t *testing.T) {
	for _, g := range []guard{
		{pid: 1, when: 2, hop: 3, call: 4, seen: []FileID{shimID}},
		{pid: math.MaxInt32, when: math.MaxUint64, hop: 1, call: math.MaxUint64, seen: []FileID{shimID, codexID, wrapperID}},
		{seen: []FileID{{}}},
	} {
		got, ok := parseGuard(config.Env{"A=1", GuardVariable + "=" + g.String()})
		if !ok || !reflect.DeepEqual(got, g) {
			t.Errorf("parseGuard(%q) = %+v, %t, want %+v", g.String(), got, ok, g)
		}
	}
}

func TestParseGuardRefuses(t *testing.T) {
	good := guard{pid: 1, when: 2, hop: 3, call: 4, seen: []FileID{shimID}}.String()
	if _, ok := parseGuard(config.Env{GuardVariable + "=" + good}); !ok {
		t.Fatalf("parseGuard(%q) fails", good)
	}
	for _, text := range []string{
		"", ":", "::::", "1:2:3:4", good + ":", good + ",", good + " ", " " + good, "-" + good, "+" + good, "x:2:3:4:1.a", "1:2:3:g:1.a", "1:2:3:4:1", "1:2:3:4:1.", "1:2:3:4:.1",
		"1:2:3:4:1.2.3", "1:2:3:4:-1.2", "18446744073709551616:2:3:4:1.a", "1:2:3:4:1.10000000000000000", "1_0:2:3:4:1.a", "0x1:2:3:4:1.a",
		"18446744073709551615:2:3:4:1.a", "1:2:18446744073709551615:4:1.a", // as an int they would be negative
	} {
		if g, ok := parseGuard(config.Env{GuardVariable + "=" + text}); ok || !reflect.DeepEqual(g, guard{}) {
			t.Errorf("parseGuard(%q) = %+v, %t, want none", text, g, ok)
		}
	}
	if _, ok := parseGuard(config.Env{"A=1"}); ok {
		t.Error("parseGuard without the variable finds one")
	}
}

func FuzzParseGuard(f *testing.F) {
	for _, seed := range []string{"", "1:2:3:4:1.a", "1:2:3:4:1.a,2.b", "01:02:03:04:01.0A", "18446744073709551615:0:18446744073709551615:0:0.0", "1:2:3:4:,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, ok := parseGuard(config.Env{GuardVariable + "=" + text})
		if !ok {
			return
		}
		if again, ok := parseGuard(config.Env{GuardVariable + "=" + g.String()}); !ok || !reflect.DeepEqual(again, g) {
			t.Errorf("parseGuard(%q) = %+v, written %q, read as %+v, %t", text, g, g, again, ok)
		}
		if n := g.next(1, 2, g.call, shimID, false); n.hop < 1 {
			t.Errorf("after %q the hop is %d", text, n.hop)
		}
	})
}

func TestGuardNext(t *testing.T) {
	const call, other = 7, 8
	before := guard{pid: 5, when: 50, hop: 2, call: call, seen: []FileID{shimID, wrapperID}}
	for _, tt := range []struct {
		name string
		g    guard
		call uint64
		self FileID
		same bool
		want guard
	}{
		{"the first call", guard{}, call, shimID, false, guard{6, 60, 1, call, []FileID{shimID}}},
		{"a first call that hashes to 0", guard{}, 0, shimID, false, guard{6, 60, 1, 0, []FileID{shimID}}},
		{"exec'd by a shim: what was seen is skipped", before, call, copyID, true, guard{6, 60, 2, call, []FileID{shimID, wrapperID, copyID}}},
		{"exec'd, the shim itself again", before, call, shimID, true, guard{6, 60, 2, call, []FileID{shimID, wrapperID}}},
		{"exec'd with other arguments", before, other, copyID, true, guard{6, 60, 2, other, []FileID{shimID, wrapperID, copyID}}},
		{"a child with the same call", before, call, shimID, false, guard{6, 60, 3, call, []FileID{shimID}}},
		{"a child with another call", before, other, shimID, false, guard{6, 60, 1, other, []FileID{shimID}}},
	} {
		held := append([]FileID(nil), tt.g.seen...)
		if got := tt.g.next(6, 60, tt.call, tt.self, tt.same); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: next = %+v, want %+v", tt.name, got, tt.want)
		}
		if !reflect.DeepEqual(tt.g.seen, held) && len(held) > 0 {
			t.Errorf("%s: next changed the guard that it came from", tt.name)
		}
	}
}

// Two guards that grew from one must not share what they have seen.
func TestGuardCopies(t *testing.T) {
	g := guard{seen: append(make([]FileID, 0, 8), shimID)}
	a, b := g.with(copyID), g.with(wrapperID)
	if !slices.Equal(a.seen, []FileID{shimID, copyID}) || !slices.Equal(b.seen, []FileID{shimID, wrapperID}) {
		t.Errorf("with gives %v and %v", a.seen, b.seen)
	}
}

// The fourth hop of one call through children is the end; a wrapper that execs never gets there, nor do six different codexes.
func TestGuardLoop(t *testing.T) {
	g := guard{}
	for hop := 1; hop <= 6; hop++ {
		g = g.next(hop, 0, 7, shimID, false).with(wrapperID)
		err := g.loop(func() (string, error) { return "/shim/codex", nil }, Program{Path: "/w/codex", ID: wrapperID})
		if (err != nil) != (hop >= 4) {
			t.Errorf("hop %d: %v", hop, err)
		}
		if err != nil && (status(err) != 126 || !strings.Contains(err.Error(), "/shim/codex") ||
			!strings.Contains(err.Error(), "/w/codex") || len(say.Hints(err)) == 0) {
			t.Errorf("hop %d: %v with status %d and hints %q", hop, err, status(err), say.Hints(err))
		}
	}
	g = guard{}
	for n := range 20 {
		g = g.next(1, 0, 7, FileID{3, uint64(n)}, n > 0)
		if err := g.loop(func() (string, error) { return "s", nil }, Program{}); err != nil {
			t.Errorf("exec %d: %v", n, err)
		}
	}
	if len(g.seen) != 20 {
		t.Errorf("after 20 execs %d files are skipped", len(g.seen))
	}
	g = guard{}
	for n := range 20 {
		g = g.next(n, 0, uint64(n), shimID, false)
		if err := g.loop(func() (string, error) { return "s", nil }, Program{}); err != nil {
			t.Errorf("codex %d in codex: %v", n, err)
		}
	}
}

func TestCallHash(t *testing.T) {
	seen := map[uint64]string{}
	for _, args := range [][]string{
		nil, {""}, {"", ""}, {"a"}, {"a", ""}, {"", "a"}, {"ab"}, {"a", "b"}, {"a b"}, {"b", "a"}, {"\xff"}, {"\xfe"}, {strings.Repeat("x", 100_000)},
	} {
		for _, dir := range []string{"", "/", "/a", "/ab"} {
			for _, acct := range []string{"", "a", "b"} {
				call := fmt.Sprintf("%.40q in %q as %q", args, dir, acct)
				h := callHash(args, dir, acct)
				if other, ok := seen[h]; ok {
					t.Errorf("%s has the hash of %s", call, other)
				}
				if h != callHash(slices.Clone(args), dir, acct) {
					t.Errorf("the hash of %s is not always the same", call)
				}
				seen[h] = call
			}
		}
	}
}

func TestStartedAfter(t *testing.T) {
	if startedAfter(0) {
		t.Error("a guard without a time is of another process")
	}
	if startedAfter(math.MaxUint64 - 1) {
		t.Error("this process started after the end of time")
	}
	if now := bootTicks(); now != 0 {
		if startedAfter(now) {
			t.Error("this process started after now")
		}
		if !startedAfter(1) && os.Getpid() != 1 {
			t.Error("this process started before the first tick")
		}
	}
}
