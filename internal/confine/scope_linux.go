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
// the path. It tells nothing of such a place, not even whether anything is there.
func (s *Scope) Allowed(path string) (string, error) {
	c := s.scene
	at := filepath.Clean(path)
	if config.Within(at, c.OwnHome) { // which leads to the user's inside
		at = c.Home + strings.TrimPrefix(at, c.OwnHome)
	}
	real, err := filepath.EvalSymlinks(at)
	never := slices.Concat([]string{c.Root, c.Config, c.SharedHome, filepath.Join(c.Home, ".codex")}, c.Programs, c.Hidden)
	own := slices.ContainsFunc(never, func(own string) bool {
		return own != "" && (config.Within(real, own) || config.Within(own, real))
	})
	hidden := s.Hidden(real)
	if !filepath.IsAbs(path) || err != nil || own || hidden != "" && hidden != real {
		const reason = "cannot be given: it is missing, hidden with a directory around it, swop's or codex's, or has such a path in it"
		return "", &Violation{"the path", path, reason}
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
	b := scene.Scope()
	if _, has := b.layout[path]; !has {
		b.show(b.rule(path).Kind, path)
	}
	if !disk.At(path).Exists() {
		return nil, &Violation{"the path", path, "is gone"}
	}
	return b.sorted(path), nil
}
