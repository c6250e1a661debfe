package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"swop/config"
	"swop/confine/desk"
	"swop/confine/mountns"
)

// Scope is what a session may be given while it runs.
type Scope struct {
	scene  *Scene
	mounts []mountns.Mount
}

// Scope returns what the session of the scene may be given.
func (s *Scene) Scope() (Scope, error) {
	mounts, err := s.mounts()
	return Scope{s, mounts}, err
}

// maxLinks is how many links the kernel follows in one path (path_resolution(7)).
const maxLinks = 40

// Allowed returns what path, as a session has it, leads to on the host: with links resolved in the order in which the kernel does it, those
// too that lead to nothing. What does not exist keeps its name below the deepest directory that does. The error is a [*Violation] where no
// answer of the user's can give the path: it is relative, has a NUL, or .. in what does not exist; or it is part of what is never given, or
// contains that. Of such a place it tells nothing, not even what exists there.
func (s Scope) Allowed(path string) (string, error) {
	refuse := func(reason string) (string, error) { return "", &Violation{"the path", path, reason} }
	switch {
	case !filepath.IsAbs(path):
		return refuse("is not absolute")
	case strings.ContainsRune(path, 0), len(path) > desk.MaxPath:
		return refuse("has a NUL, or is too long")
	}
	at, todo, missing, links := "/", strings.Split(s.outside(path), "/"), false, 0
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch {
		case name == "" || name == ".":
			continue
		case name == ".." && missing:
			return refuse("has .. in what does not exist")
		case name == "..":
			at = filepath.Dir(at)
			continue
		}
		at = filepath.Join(at, name)
		if s.isNever(at) {
			return refuse(never)
		}
		if missing = missing || s.isMasked(at); missing { // nothing is told of what is hidden
			continue
		}
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = true
		case errors.Is(err, syscall.ENOTDIR):
			return refuse("goes through a file")
		case err != nil:
			return refuse("cannot be told")
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(at)
			if links++; err != nil || links > maxLinks {
				return refuse("has too many links")
			}
			if at = filepath.Dir(at); filepath.IsAbs(to) {
				at = "/"
			}
			todo = slices.Concat(strings.Split(s.outside(to), "/"), todo)
		case !info.IsDir() && slices.ContainsFunc(todo, func(name string) bool { return name != "" }):
			return refuse("goes through a file")
		}
	}
	if s.contains(at) {
		return refuse(never)
	}
	return at, nil
}

const never = "can never be given to a session: it is swop's or codex's, runs outside later, or contains such a thing"

// outside returns path as the host has it: the account's home leads to the user's inside.
func (s Scope) outside(path string) string {
	if config.Within(path, s.scene.SandboxHome) {
		return s.scene.Home + strings.TrimPrefix(path, s.scene.SandboxHome)
	}
	return path
}

// never lists what no answer gives.
func (s Scope) never() []string {
	c := s.scene
	return slices.Concat([]string{c.Root, c.Config, c.SharedHome, filepath.Join(c.Home, ".codex")}, c.Programs, c.Protected, c.Hidden)
}

func (s Scope) isNever(path string) bool {
	return slices.ContainsFunc(s.never(), func(own string) bool { return own != "" && config.Within(path, own) })
}

// contains reports whether path contains something that is never given.
func (s Scope) contains(path string) bool {
	return slices.ContainsFunc(s.never(), func(own string) bool { return own != "" && config.Within(own, path) })
}

// Hidden returns the path of the policy that hides path, "" for none.
func (s Scope) Hidden(path string) string {
	for _, hidden := range s.scene.Policy.Hidden {
		if config.Within(path, hidden) {
			return hidden
		}
	}
	return ""
}

// isMasked reports whether path lies in what is hidden.
func (s Scope) isMasked(path string) bool {
	hidden := s.Hidden(path)
	return hidden != "" && hidden != path
}

// Missing reports whether the session can not yet read or write a path that [Scope.Allowed] has returned, so that it has to be asked for; the error
// is a [*Violation] where it could not be given either.
func (s Scope) Missing(path string, to desk.Access) (bool, error) {
	refuse := func(reason string) (bool, error) { return true, &Violation{"the path", path, reason} }
	if hidden := s.Hidden(path); hidden != "" {
		if hidden != path {
			return refuse("is hidden; ask for all of " + hidden)
		}
		return true, nil
	}
	shown := s.shows(path)
	switch {
	case shown.Kind == mountns.Writable, shown.Kind == mountns.Readonly && to == desk.ToRead:
		return false, nil
	case shown.Kind != mountns.Readonly:
		return refuse("is the session's own there, not the system's")
	case shown.Target != "/" && shown.Target != s.scene.Home:
		return refuse("is read-only in every session: " + shown.Target)
	}
	if reason := s.scene.forbidden(path); reason != "" {
		return refuse(reason)
	}
	for _, m := range s.mounts {
		if m.Target != path && config.Within(m.Target, path) && m.Kind != mountns.Nothing && !slices.Contains(s.scene.Policy.Hidden, m.Target) {
			return refuse("contains what the session has in another way: " + m.Target)
		}
	}
	if !exists(path) {
		return refuse("does not exist; ask for the directory that it is to be in")
	}
	return true, nil
}

// shows returns how the session has a path: by the last mount above it.
func (s Scope) shows(path string) mountns.Mount {
	for _, m := range slices.Backward(s.mounts) {
		if config.Within(path, m.Target) {
			return m
		}
	}
	return mountns.Mount{}
}
