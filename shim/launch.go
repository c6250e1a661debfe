package shim

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// A Launch is the arguments of execve(2).
type Launch struct {
	Path string
	Args []string
	Env  config.Env
}

// Launch returns the program to exec for p with these arguments, "codex" first, and this environment. For npm's launcher that is the
// program that the launcher itself would start, if its stored answer holds, else p. It reports false where the launcher is still to be
// asked.
func (p Program) Launch(places *config.Places, args []string, env config.Env, how string) (Launch, bool) {
	installed := Launch{p.Path, args, env}
	asked, ok := p.Launcher()
	if !ok || how != config.LaunchNative {
		return installed, true
	}
	answer, ok := asked.Stored(places, env)
	if !ok {
		return installed, !disk.IsDir(places.Root) // where no answer could be stored, nobody asks
	}
	if env, ok = answer.environment(env); !ok || answer.Why != "" {
		return installed, true
	}
	return Launch{answer.Program, append([]string{answer.Program}, args[1:]...), env}, true
}

// environment returns env as the launcher would change it, false where that is not known: the launcher may drop empty entries of PATH.
func (a *Answer) environment(env config.Env) (config.Env, bool) {
	if slices.Contains(a.Names, "PATH") {
		path := env.Value("PATH")
		if slices.Contains(filepath.SplitList(path), "") || path == "" {
			return env, false
		}
		env = env.With("PATH", a.Tools+path)
	}
	for _, change := range a.Changes {
		if name, value, set := strings.Cut(change, "="); set {
			env = env.With(name, value)
		} else {
			env = env.Without(name)
		}
	}
	return env, true
}

// A Launcher is npm's launcher of codex, or a script that looks like it: one in a package of Node's.
type Launcher struct {
	Path     string // the path on PATH, which may be a link
	Script   string // its real path
	Manifest string // the package.json of its package
	state    string // of both files
}

// Launcher returns p as a launcher, false where p is none.
func (p Program) Launcher() (Launcher, bool) {
	if !p.Script() {
		return Launcher{}, false
	}
	script, ok := p.script()
	l := Launcher{Path: p.Path, Script: script, Manifest: filepath.Join(filepath.Dir(filepath.Dir(script)), "package.json")}
	manifest := stateOf(l.Manifest)
	l.state = stateOf(l.Script) + manifest
	return l, ok && manifest != ""
}

// stateOf returns a text that identifies the file at path and, by its size and times, its contents: "" without a regular file.
func stateOf(path string) string {
	var st sys.Stat_t
	if sys.Stat(path, &st) != nil || st.Mode&sys.S_IFMT != sys.S_IFREG {
		return ""
	}
	return fmt.Sprintln(st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim)
}

// Stored returns the stored answer, false where none is stored, or where the files or the environment have changed since.
func (l Launcher) Stored(places *config.Places, env config.Env) (Answer, bool) {
	_, err := account.Open(*places)
	a, ok := readAnswer(l.File(places))
	return a, err == nil && ok && a.state == l.state && a.program == stateOf(a.Program) && a.given == a.dependsOn(env)
}
