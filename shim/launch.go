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

// A Launch is what execve(2) is given.
type Launch struct {
	Path string
	Args []string
	Env  config.Env
}

// Launch returns what a call with these arguments, "codex" first, and this environment starts: the program in the place of p, npm's
// launcher, where the launcher was asked and its answer holds, else p itself. It reports false where the launcher is still to be asked.
func (p Program) Launch(places *config.Places, args []string, env config.Env, how string) (Launch, bool) {
	installed := Launch{p.Path, args, env}
	if how != config.LaunchNative {
		return installed, true
	}
	asked, ok := p.Launcher()
	if !ok {
		return installed, true
	}
	answer, ok := asked.Kept(places, env)
	if !ok {
		return installed, !disk.IsDir(places.Root) // where an answer could not be kept, nobody asks
	}
	if answer.Why != "" {
		return installed, true
	}
	if env, ok = answer.environment(env); !ok {
		return installed, true
	}
	return Launch{answer.Program, append([]string{answer.Program}, args[1:]...), env}, true
}

// environment is what the launcher makes of env, false where that is not known: it may drop the empty entries of a PATH that it changes.
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

// A Launcher is npm's launcher of codex, or what looks like it: a script in a package of Node's.
type Launcher struct {
	Path     string // by which it is started
	Script   string // its real path
	Manifest string // the package.json of its package
	state    string // of both files
}

// Launcher returns the launcher that p is, false where p is something else.
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

// stateOf identifies the file at path and its contents, by its times: "" where there is no file.
func stateOf(path string) string {
	var st sys.Stat_t
	if sys.Stat(path, &st) != nil || st.Mode&sys.S_IFMT != sys.S_IFREG {
		return ""
	}
	return fmt.Sprintln(st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim)
}

// Kept returns the answer that is kept, false where none is, or the files or the environment are no longer those that it was given for.
func (l Launcher) Kept(places *config.Places, env config.Env) (Answer, bool) {
	_, err := account.Open(*places)
	a, ok := readAnswer(l.File(places))
	return a, err == nil && ok && a.state == l.state && a.program == stateOf(a.Program) && a.given == a.dependsOn(env)
}
