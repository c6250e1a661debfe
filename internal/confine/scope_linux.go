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

// Allowed returns what path, as a session has it, leads to on the host. The error is a [*Violation] where no answer of the user's can give
// the path: it does not exist, or is part of what is never given, or contains that. Of such a place it tells nothing, not even what exists
// there.
func (s *Scope) Allowed(path string) (string, error) {
	refuse := func(reason string) (string, error) { return "", &Violation{"the path", path, reason} }
	c := s.scene
	if !filepath.IsAbs(path) {
		return refuse("is not absolute")
	}
	at := filepath.Clean(path)
	if config.Within(at, c.OwnHome) { // which leads to the user's inside
		at = c.Home + strings.TrimPrefix(at, c.OwnHome)
	}
	real, err := filepath.EvalSymlinks(at)
	led := len(disk.Links(at)) > 0 // inside, where what it leads to need not be seen
	never := slices.Concat([]string{c.Root, c.Config, c.SharedHome, filepath.Join(c.Home, ".codex")}, c.Programs, c.Hidden)
	own := func(path string) bool {
		return slices.ContainsFunc(never, func(own string) bool {
			return own != "" && (config.Within(path, own) || err == nil && config.Within(own, path))
		})
	}
	hidden := s.Hidden(real)
	switch {
	case led && !own(at) && (err != nil || own(real) || hidden != "" && hidden != real):
		return refuse("is a link to a missing path, or to one that no session can be given")
	case own(at) || own(real):
		return refuse("cannot be given to a session: it is swop's or codex's, or contains such a path")
	}
	if hidden := s.Hidden(at); hidden != "" && hidden != at {
		return refuse("is hidden; ask for all of " + hidden)
	}
	if err != nil {
		return refuse("does not exist; ask for its directory")
	}
	return real, nil
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

// Missing reports whether the session can not yet read or write a path that [Scope.Allowed] has returned, so that it has to be asked for;
// the error is a [*Violation] where it could not be given either.
func (s *Scope) Missing(path string, kind string) (bool, error) {
	rule, reason := s.rule(path), s.scene.forbidden(path)
	switch {
	case s.Hidden(path) != "":
		return true, nil
	case kind == desk.KindWrite && reason != "":
		return true, &Violation{"the path", path, reason}
	case s.source(path) == path:
		return kind == desk.KindWrite && rule.Kind != mount.Writable, nil
	case rule.Kind != mount.Composed && rule.Target != s.scene.Home && rule.Kind != mount.Readonly:
		return true, &Violation{"the path", path, "is the session's own there, not the system's"}
	}
	return true, nil
}

// shown returns the mounts that show a path besides, as mode says.
func (s *Scene) shown(path string, kind string) ([]mount.Mount, error) {
	scene := s.with(path, kind)
	b := scene.rules()
	if _, has := b.layout[path]; !has {
		b.show(b.rule(path).Kind, path)
	}
	b.mounts = b.sorted(path)
	if len(b.mounts) > 0 && !disk.At(path).Exists() {
		return nil, &Violation{"the path", path, "is gone"}
	}
	return b.mounts, nil
}
