package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/confine/desk"
	"swop/confine/mountns"
	"swop/confine/repository"
	"swop/disk"
)

// Scope is what a session sees, and may be given while it runs.
type Scope struct {
	layout
	scene *Scene
	git   []string // what git obeys in the roots
}

// Allowed returns what path, as a session has it, leads to on the host: with links resolved in the order in which the kernel does it, those
// too that lead to nothing. What does not exist keeps its name below the deepest directory that does. The error is a [*Violation] where no
// answer of the user's can give the path: it is relative, has a NUL, or .. in what does not exist; or it is part of what is never given, or
// contains that. Of such a place it tells nothing, not even what exists there.
func (s *Scope) Allowed(path string) (string, error) {
	refused := ""
	w := walk{Scope: s, at: "/"}
	switch {
	case !filepath.IsAbs(path):
		refused = "is not absolute"
	case strings.ContainsRune(path, 0), len(path) > desk.MaxPath:
		refused = "has a NUL, or is too long"
	default:
		w.put(path)
	}
	for refused == "" && len(w.todo) > 0 {
		refused = w.step()
	}
	if refused == "" && s.contains(w.at) {
		refused = never
	}
	if refused != "" {
		return "", &Violation{"the path", path, refused}
	}
	return w.at, nil
}

// walk resolves a path component by component.
type walk struct {
	*Scope
	at    string   // has no links
	todo  []string // the components that come next
	blind bool     // at does not exist, or nothing is told of it
	links int      // that were followed
}

// put lets the components of a path come next.
func (w *walk) put(path string) {
	w.todo = append(components(w.outside(path)), w.todo...)
}

// step takes the next component. It says why nothing gives the path, "" if it may go on.
func (w *walk) step() (refused string) {
	name := w.todo[0]
	w.todo = w.todo[1:]
	switch {
	case name == ".":
		return ""
	case name == ".." && w.blind:
		return "has .. in what does not exist"
	case name == "..":
		w.at = filepath.Dir(w.at)
		return ""
	}
	w.at = filepath.Join(w.at, name)
	if w.isNever(w.at) {
		return never
	}
	if w.blind = w.blind || w.isMasked(w.at); w.blind {
		return ""
	}
	info, err := os.Lstat(w.at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.blind = true
	case err != nil:
		return "cannot be looked up"
	case info.Mode()&fs.ModeSymlink != 0:
		return w.follow()
	case !info.IsDir() && len(w.todo) > 0:
		return "goes through a file"
	}
	return ""
}

// follow goes where the link leads that the walk is at.
func (w *walk) follow() (refused string) {
	const most = 40 // as the kernel does (path_resolution(7))
	to, err := os.Readlink(w.at)
	if w.links++; err != nil || w.links > most {
		return "has too many links"
	}
	if w.at = filepath.Dir(w.at); filepath.IsAbs(to) {
		w.at = "/"
	}
	w.put(to)
	return ""
}

const never = "can never be given to a session: it is swop's or codex's, runs outside later, or contains such a thing"

// outside returns path as the host has it: the account's home leads to the user's inside.
func (s *Scope) outside(path string) string {
	if config.Within(path, s.scene.SandboxHome) {
		return s.scene.Home + strings.TrimPrefix(path, s.scene.SandboxHome)
	}
	return path
}

// never lists what no answer gives.
func (s *Scope) never() []string {
	c := s.scene
	return slices.Concat([]string{c.Root, c.Config, c.SharedHome, filepath.Join(c.Home, ".codex")}, c.Programs, c.Protected, c.Hidden)
}

func (s *Scope) isNever(path string) bool {
	return slices.ContainsFunc(s.never(), func(own string) bool { return own != "" && config.Within(path, own) })
}

// contains reports whether path contains something that is never given.
func (s *Scope) contains(path string) bool {
	return slices.ContainsFunc(s.never(), func(own string) bool { return own != "" && config.Within(own, path) })
}

// Hidden returns the path of the policy that hides path, "" for none.
func (s *Scope) Hidden(path string) string {
	for _, hidden := range s.scene.Policy.Hidden {
		if config.Within(path, hidden) {
			return hidden
		}
	}
	return ""
}

// isMasked reports whether path lies in what is hidden.
func (s *Scope) isMasked(path string) bool {
	hidden := s.Hidden(path)
	return hidden != "" && hidden != path
}

// Missing reports whether the session can not yet read or write a path that [Scope.Allowed] has returned, so that it has to be asked for; the error
// is a [*Violation] where it could not be given either.
func (s *Scope) Missing(path string, to desk.Access) (bool, error) {
	refuse := func(reason string) (bool, error) { return true, &Violation{"the path", path, reason} }
	if hidden := s.Hidden(path); hidden != "" {
		if hidden != path {
			return refuse("is hidden; ask for all of " + hidden)
		}
		return true, nil
	}
	rule, shown, reason := s.rule(path), s.shows(path), s.scene.forbidden(path)
	switch {
	case to == desk.ToWrite && reason != "":
		return refuse(reason)
	case rule.Kind == mountns.Writable, rule.Kind == mountns.Readonly && shown == mountns.Readonly && to == desk.ToRead:
		return false, nil
	case rule.Kind != mountns.Readonly:
		return refuse("is the session's own there, not the system's")
	case disk.At(path).IsDir() && s.isGit(path):
		return true, nil // until the answer is taken back, git runs outside what is put there
	case rule.Target != "/" && rule.Target != s.scene.Home:
		return refuse("is read-only in every session: " + rule.Target)
	}
	for _, m := range s.rules(path) {
		if !slices.Contains(s.scene.Policy.Hidden, m.Target) {
			return refuse("contains what the session has in another way: " + m.Target)
		}
	}
	if !disk.At(path).Exists() {
		return refuse("does not exist; ask for the directory that it is to be in")
	}
	return true, nil
}

// isGit reports whether a path is a repository's directory, or a submodule's in it.
func (s *Scope) isGit(path string) bool {
	return slices.ContainsFunc(s.git, func(git string) bool { return path == git || config.Within(path, git) && repository.Is(path) })
}

// shows returns how the session has a path: by the last mount above it. What a program outside has added since it began is not there.
func (s *Scope) shows(path string) mountns.Kind {
	for _, m := range slices.Backward(s.mounts) {
		if config.Within(path, m.Target) {
			return m.Kind
		}
	}
	return mountns.Empty
}
