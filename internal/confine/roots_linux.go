package confine

import (
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/disk"
)

// root is a directory that is writable, except for some paths in it.
type root struct {
	path     string
	readonly []string // what cannot be written, if it exists
	more     bool     // there are more directories than were searched for what git and codex obey
}

// roots returns what the session can write, the outer directories first: all but what the policy names, what codex obeys, as it is now, and
// what git obeys unless the policy gives that.
func (s *Scene) roots() (roots []root) {
	add := func(path, git string) {
		ofGit, readonly, more := obeyed(path)
		if git != config.GitWrite {
			readonly = append(readonly, ofGit...)
		}
		for _, name := range s.Policy.Readonly {
			readonly = append(readonly, filepath.Join(path, name))
		}
		roots = append(roots, root{path, readonly, more})
	}
	for _, path := range s.Policy.Roots(s.Workspace) {
		add(path, s.Policy.Git)
		if to := s.repository(path); to != "" && s.Policy.Git == config.GitWrite {
			roots = append(roots, root{path: to})
		}
	}
	for _, path := range s.Granted { // what the user gave is written as a whole where it is a file, or git's
		if disk.At(path).IsDir() && !inGit(path) {
			add(path, config.GitRead)
		} else {
			roots = append(roots, root{path: path})
		}
	}
	slices.SortStableFunc(roots, func(a, b root) int { return len(a.path) - len(b.path) })
	return roots
}

// repository returns the directory of the repository that a work tree belongs to where that lies elsewhere, "" for none.
func (s *Scene) repository(tree string) string {
	if to := linked(tree); to != "" && !config.Within(to, tree) && s.forbidden(to) == "" {
		return to
	}
	return ""
}

// checkLinks refuses those of the policy's writable paths that lead elsewhere by a link that a session can have made.
func checkLinks(paths []string, g *Given) error {
	for _, path := range paths {
		if len(Real(path)) > 0 && g.follow(path) == "" {
			const why = "is led to by a link that a session can have made: name the directory itself in config.toml"
			return &Violation{"the writable root", path, why}
		}
	}
	return nil
}

// forbidden says why a path can be no writable root, "" if it can.
func (s *Scene) forbidden(path string) string {
	return Forbidden(path, s.Home, slices.Concat([]string{s.Root, s.Config, s.SharedHome}, s.Programs))
}
