package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"swop/internal/disk"
	"swop/internal/say"
)

// The variables that choose swop's root, the first one before the other.
const (
	rootVariable  = "SWOP_ROOT"
	stateVariable = "XDG_STATE_HOME"
)

// Places are the directories that a call works with. All are absolute; none need exist.
type Places struct {
	Home   string // the user's own home, never a sandbox's
	Root   string // swop's root: root.json, accounts, locks
	Config string // where selector.toml and config.toml lie
}

// Locate returns the places of a user whose environment, outside of any session, is env. passwd returns the home in the password
// database; it is called where HOME is unset or empty, as codex itself does. A HOME or SWOP_ROOT that is not absolute is an
// error; a relative XDG variable is ignored, as its specification says.
func Locate(env Env, passwd func() (string, error)) (p Places, err error) {
	if p.Home = env.Value(homeVariable); p.Home == "" {
		p.Home, err = passwd()
	}
	if err == nil && !filepath.IsAbs(p.Home) {
		err = errors.New("it is not an absolute path")
	}
	if err != nil {
		err := fmt.Errorf("%s is %q, which cannot be used: %v", homeVariable, p.Home, err)
		return Places{}, say.WithHint(err, `export HOME="/path/to/your/home"`)
	}
	switch root := env.Value(rootVariable); {
	case filepath.IsAbs(root):
		p.Root = filepath.Clean(root) // what lies in it is found by clean paths: what is checked must be the same
		p.Config = p.Root
		return p, nil
	case root != "":
		return Places{}, say.WithHint(fmt.Errorf("SWOP_ROOT is %q, which is not an absolute path", root), "unset SWOP_ROOT")
	}
	p.Root = filepath.Join(p.Home, ".swop")
	if state := env.Value(stateVariable); filepath.IsAbs(state) {
		p.Root = filepath.Join(state, "swop")
	}
	p.Config = filepath.Join(configHome(env.With(homeVariable, p.Home)), "swop")
	return p, nil
}

// Configured reports whether a directory of the configuration has one of its two files, or may have; "" has none.
func Configured(dir string) bool {
	return dir != "" && (disk.MayExist(filepath.Join(dir, SelectorFile)) || disk.MayExist(filepath.Join(dir, SettingsFile)))
}

// OtherRoot is a place where swop's root lies in another environment, as that of an editor or a timer.
type OtherRoot struct {
	Dir  string
	Line string // the command that makes Dir the root
}

// OtherRoots returns the others of the three places for a root, which need not exist. Without XDG_STATE_HOME its default counts.
func (p *Places) OtherRoots(env Env) (others []OtherRoot) {
	set := slices.DeleteFunc([]string{rootVariable, stateVariable}, func(name string) bool { return env.Value(name) == "" })
	state, byState := env.Value(stateVariable), "unset "+rootVariable
	if !filepath.IsAbs(state) {
		state = filepath.Join(p.Home, ".local", "state")
		byState = "export " + stateVariable + "=" + say.ShellQuote(state)
		if env.Value(rootVariable) != "" {
			byState += " " + rootVariable + "="
		}
	}
	for _, other := range []OtherRoot{
		{filepath.Join(state, "swop"), byState},
		{filepath.Join(p.Home, ".swop"), "unset " + strings.Join(set, " ")},
	} {
		if other.Dir != p.Root && !disk.SameFile(other.Dir, p.Root) {
			others = append(others, other)
		}
	}
	return others
}
