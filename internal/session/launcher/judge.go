package launcher

import (
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/shim"
)

// Arguments and a variable that a launcher must pass on.
const (
	sentinel     = "swop sentinel = \u00e9\n"
	sentinelPath = "/swop-sentinel/bin" + string(filepath.ListSeparator) + "/swop-sentinel/sbin"
)

var sentinelArgs = []string{"--swop-sentinel", "", "a 'b' \"c\"\n", "\u00e9", "--", "--version"}

// A report is the output of the module.
type report struct {
	How     string         // the function by which it starts the program
	File    string         // the program
	Args    []string       // its arguments, behind its name where How is a spawn
	Env     [][2]string    // in the launcher's order
	Names   []string       // the variables that the launcher read by name
	Options map[string]any // how it is started
	Node    string         // the program that Node is
}

// A question is the environment that the launcher was given.
type question struct {
	given   config.Env
	planted []string // the variables that are not the caller's
}

// judge returns the answer by a report. In any doubt the launcher itself is to run.
func (q question) judge(r report) shim.Answer {
	names := slices.DeleteFunc(r.Names, func(name string) bool { return strings.ContainsAny(name, "=\x00") })
	a := shim.Answer{Program: r.File, Names: names}
	how, args := r.How, r.Args
	if how == "execve" && len(args) > 0 && args[0] == r.File {
		how, args = "spawn", args[1:]
	}
	passes := (how == "spawn" || how == "spawnSync") && slices.Equal(args, sentinelArgs) && filepath.IsAbs(r.File) &&
		len(r.Options) == 1 && r.Options["stdio"] == "inherit"
	asks := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(q.planted, name) }) // it may remove that one
	changes, tools, ok := q.changes(r.Env)
	if !passes || asks || !ok {
		return shim.Answer{Why: "it does more than set variables and pass its arguments on", Names: names}
	}
	a.Changes, a.Tools = changes, tools
	return a
}

// changes returns how the environment differs from the one that was given. It reports false where a change depends on the former value.
func (q question) changes(env [][2]string) (changes []string, tools string, ok bool) {
	got := map[string]bool{}
	var sets []string
	for _, entry := range env {
		name, value := entry[0], entry[1]
		got[name] = true
		was, there := q.given.Lookup(name)
		if there && was == value {
			continue
		}
		if name == "PATH" {
			if tools, ok = strings.CutSuffix(value, sentinelPath); !ok || !strings.HasSuffix(tools, string(filepath.ListSeparator)) {
				return nil, "", false
			}
			continue
		}
		if strings.Contains(value, sentinel) || strings.Contains(value, sentinelPath) {
			return nil, "", false
		}
		sets = append(sets, name+"="+value)
	}
	for _, entry := range q.given {
		if name, _, _ := strings.Cut(entry, "="); !got[name] {
			changes = append(changes, name)
		}
	}
	return append(changes, sets...), tools, got["PATH"]
}
