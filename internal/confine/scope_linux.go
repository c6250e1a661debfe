package confine

import (
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/confine/desk"
	"swop/internal/confine/mount"
	"swop/internal/disk"
)

// Allowed returns what path, as a session has it, leads to on the host. The error is a [*Violation] where no answer of the user's can give the path: it does
// not exist, or is part of what is never given, or contains that. Of such a place it tells nothing, not even what exists there.
func (s *Scope) Allowed(path string) (string, error) {
	refuse := func(reason string) (string, error) { return "", &Violation{"the path", path, reason} }
	switch {
	case !filepath.IsAbs(path):
		return refuse("is not absolute")
	case strings.ContainsRune(path, 0), len(path) > desk.MaxPath:
		return refuse("has a NUL, or is too long")
	}
	at := s.outside(filepath.Clean(path))
	real, err := filepath.EvalSymlinks(at)
	if s.isNever(at) || err == nil && (s.isNever(real) || s.contains(real)) {
		return refuse(never)
	}
	for _, path := range []string{at, real} {
		if hidden := s.Hidden(path); hidden != "" && hidden != path {
			return refuse("is hidden; ask for all of " + hidden)
		}
	}
	if err != nil {
		return refuse("does not exist; ask for the directory that it is to be in")
	}
	return real, nil
}

const never = "can never be given to a session: it is swop's or codex's, or contains such a thing"

// outside returns path as the host has it: the account's home leads to the user's inside.
func (s *Scope) outside(path string) string {
	if config.Within(path, s.scene.OwnHome) {
		return s.scene.Home + strings.TrimPrefix(path, s.scene.OwnHome)
	}
	return path
}

// never lists what no answer gives.
func (s *Scope) never() []string {
	c := s.scene
	return slices.Concat([]string{c.Root, c.Config, c.SharedHome, filepath.Join(c.Home, ".codex")}, c.Programs, c.Hidden)
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

// Missing reports whether the session can not yet read or write a path that [Scope.Allowed] has returned, so that it has to be asked for; the error
// is a [*Violation] where it could not be given either.
func (s *Scope) Missing(path string, to desk.Access) (bool, error) {
	refuse := func(reason string) (bool, error) { return true, &Violation{"the path", path, reason} }
	if s.Hidden(path) != "" {
		return true, nil
	}
	rule, shown, reason := s.rule(path), s.shows(path), s.scene.forbidden(path)
	switch {
	case to == desk.ToWrite && reason != "":
		return refuse(reason)
	case rule.Kind == mount.Writable, rule.Kind == mount.Readonly && shown == mount.Readonly && to == desk.ToRead:
		return false, nil
	case rule.Kind != mount.Readonly && rule.Kind != hidden:
		return refuse("is the session's own there, not the system's")
	}
	return true, nil
}

// isGit reports whether a path is what git obeys in a repository of the session's.
func (s *Scope) isGit(path string) bool {
	return slices.ContainsFunc(s.git, func(git string) bool { return config.Within(path, git) })
}

// shown returns the mounts that show a path besides, as mode says.
func (s *Scene) shown(path string, to desk.Access) ([]mount.Mount, error) {
	scene := s.with(path, to)
	b, err := scene.rules()
	if err != nil {
		return nil, err
	}
	if !b.at(path).has || b.rule(path).Kind == hidden {
		b.show(mount.Readonly, path)
	}
	b.layout.home = "" // all that is mounted lies outside of it, or in its place
	if err := b.mount(path); err != nil {
		return nil, err
	}
	if len(b.mounts) > 0 && !disk.At(path).Exists() {
		return nil, &Violation{"the path", path, "is gone"}
	}
	return b.mounts, nil
}
