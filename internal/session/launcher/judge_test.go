package launcher

import (
	"reflect"
	"slices"
	"testing"

	"swop/config"
)

// A launcher is believed only in what an exec can do in its place. That real launchers are understood is shown in e2e.
func TestJudge(t *testing.T) {
	q := question{given: config.Env{"HOME=/h", "PATH=" + sentinelPath, "A_B=" + sentinel, "A_C=" + sentinel}, planted: []string{"A_B", "A_C"}}
	good := func() report {
		return report{
			How: "spawn", File: "/p/codex", Args: slices.Clone(sentinelArgs), Names: []string{"npm_execpath", "PATH"},
			Options: map[string]any{"stdio": "inherit"},
			Env:     [][2]string{{"HOME", "/h"}, {"PATH", "/p/tools:" + sentinelPath}, {"A_C", "1"}, {"NEW", "x=y"}},
		}
	}
	a := q.judge(good())
	if want := []string{"A_B", "A_C=1", "NEW=x=y"}; a.Why != "" || a.Program != "/p/codex" || a.Tools != "/p/tools:" ||
		!reflect.DeepEqual(a.Changes, want) {
		t.Errorf("judge = %+v, want the changes %q", a, want)
	}
	for name, change := range map[string]func(*report){
		"fork":                      func(r *report) { r.How = "fork" },
		"another name":              func(r *report) { r.How = "execve" },
		"an argument":               func(r *report) { r.Args = append(r.Args, "x") },
		"a shell":                   func(r *report) { r.Options["shell"] = true },
		"a read of what it removes": func(r *report) { r.Names = append(r.Names, "A_B") },
		"a program on PATH":         func(r *report) { r.File = "codex" },
	} {
		r := good()
		change(&r)
		if a := q.judge(r); a.Why == "" {
			t.Errorf("judge of a launcher with %s = %+v, want a doubt", name, a)
		}
	}
	for _, env := range [][][2]string{
		{{"HOME", "/h"}},
		{{"HOME", "/h"}, {"PATH", sentinelPath + ":/x"}},
		{{"HOME", "/h"}, {"PATH", "x" + sentinelPath}},
		{{"HOME", "/h"}, {"PATH", sentinelPath}, {"X", "a" + sentinel}},
		{{"HOME", "/h"}, {"PATH", sentinelPath}, {"X", "a" + sentinelPath}},
	} {
		r := good()
		r.Env = env
		if a := q.judge(r); a.Why == "" {
			t.Errorf("judge of the environment %q = %+v, want a doubt", env, a)
		}
	}
}

func TestPlanted(t *testing.T) {
	script := "const TABLE_OF = {}; if (process.env.NODE_OPTIONS) delete env.CODEX_MANAGED_BY_NPM; env.CODEX_MANAGED_BY_NPM = 1"
	if got, want := planted(script), []string{"TABLE_OF", "CODEX_MANAGED_BY_NPM", "SWOP_SENTINEL", "swop_sentinel"}; !slices.Equal(got, want) {
		t.Errorf("planted(%q) = %q, want %q", script, got, want)
	}
}
