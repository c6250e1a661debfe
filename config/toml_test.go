package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// What a table may define again. The rest of TOML is the library's.
func TestParseTables(t *testing.T) {
	for _, text := range []string{
		"", "\ufeffa = 1", "a = {}", "a = []\n[b]", "[a.b]\nc = 1\n[a]\nd = 2", "[a]\n[a.b]", "[a]\nb = 1\n[a.b2]", "[a.a.a]\n[a.a]", "[A]\n[a]", "[a]\n[b]\n[a.c]",
		"a.b = 1\na.c = 2", "[a]\nb.c = 1\nb.d = 2", "[a]\nb.c = 1\n[a.b.d]", "a.b = 1\n[a.c]", "[a.b.c]\nd.e = 1", "a = {b.c = 1, b.d = 2}", "a = [{}, {b = [{}]}]",
		"[[a]]\n[[a]]\nb = 1\n[a.b2]", "[[a]]\n[a.b]\n[[a]]\n[a.b]", "[[a]]\nb.c = 1\n[[a]]\nb.c = 2", "[[a.b]]\n[[a.b]]", "[[a]]\n[b]\n[[a]]",
	} {
		if _, err := Parse(text); err != nil {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
	for _, text := range []string{
		"a = 1\na = 2", "a = 1\na.b = 2", "a.b = 1\na = 2", "a = {}\na.b = 1", "a = {}\na = {}", "a = {b = 1, b = 2}", "a = {b.c = 1, b = 2}", "a = {}\n[a]", "a = {}\n[a.b]", "a.b = {}\n[a.b]",
		"[a]\n[a]", "[a.b]\n[a]\n[a.b]", "[a]\nb = {}\n[a.b]", "[a]\nb = {}\n[a.b.c]", "[a]\nb = {}\nb.c = 1", "[a]\nb.c = 1\n[a.b]", "[a]\nb = 1\n[a.b]", "a.b = 1\n[a]", "a.b = 1\n[a.b]",
		"[a.b]\n[a]\nb = 1", "[a.b]\n[a]\nb.c = 1", "[a.b.c]\n[a]\nb.d = 1", "[[a]]\n[a]", "[a]\n[[a]]", "[[a]]\n[a.b]\n[a.b]", "[[a]]\nb.c = 1\n[a.b]", "[[a]]\nb = 1\nb = 2",
		"a = []\n[[a]]", "a = [{}]\n[[a]]", "a = [{}]\n[a.b]", "a.b = []\n[[a.b]]", "[a]\nb = [1]\n[[a.b]]",
	} {
		tree, err := Parse(text)
		if at := new(Error); !errors.As(err, &at) || at.Reason != "is defined twice" || at.Line != strings.Count(text, "\n")+1 {
			t.Errorf("Parse(%q) = %v, %v", text, tree, err)
		}
	}
	for text, want := range map[string]string{"\xff\xfea = 1": "is not UTF-8", "a = 99999999999999999999": "too large", "\n\na = ": "expected value", "a = [\n1 2]": "after array value"} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v, want %s", text, err, want)
		}
	}
}

// The values, and all lines where a key stands.
func TestParseValues(t *testing.T) {
	tree, err := Parse("s = \"a\\nb\" # c\nl = 'x'\nn = -31\nb = true\nf = 1.5\nd = 2026-01-02\n\"q u\" = [\n  \"\"\"\nm\"\"\",\n  1_000, [], {t.u = false}]\n[t]\n[t.x]\n[[w]]\n[[w]]\n")
	var got []any
	for _, e := range tree.Entries {
		got = append(got, e.Key, e.Value, append([]int{e.Line}, e.Again...))
	}
	inner := &Table{made: byDottedKey, Entries: []Entry{{Key: "u", Value: false, Line: 10}}}
	list := []any{"m", int64(1000), []any{}, &Table{made: inline, Entries: []Entry{{Key: "t", Value: inner, Line: 10}}}}
	below := &Table{made: byHeader, Entries: []Entry{{Key: "x", Value: &Table{made: byHeader}, Line: 12}}}
	want := []any{
		"b", true,
		[]int{4},
		"d",
		date{},
		[]int{6},
		"f", 0.0,
		[]int{5},
		"l", "x",
		[]int{2},
		"n", int64(-31),
		[]int{3},
		"q u", list,
		[]int{7},
		"s", "a\nb",
		[]int{1},
		"t", below,
		[]int{11, 12},
		"w",
		[]any{&Table{line: 13, made: byHeader}, &Table{line: 14, made: byHeader}},
		[]int{13, 14},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Parse = %v, %v, want %v", got, err, want)
	}
}
