package confine

import (
	"slices"

	"swop/config"
	"swop/internal/disk"
)

// roots returns what the session can write, the outer directories first.
func (s *Scene) roots() (roots []Root) {
	for _, path := range s.Policy.Roots(s.Workspace) {
		roots = append(roots, s.Policy.RootAt(path, s.Policy.Git))
		if to := s.repository(path); to != "" && s.Policy.Git == config.GitWrite {
			roots = append(roots, Root{Path: to})
		}
	}
	for _, path := range s.Granted { // what the user gave is written as a whole where it is a file, or git's
		if disk.At(path).IsDir() && !inGit(path) {
			roots = append(roots, s.Policy.RootAt(path, config.GitRead))
		} else {
			roots = append(roots, Root{Path: path})
		}
	}
	slices.SortStableFunc(roots, func(a, b Root) int { return len(a.Path) - len(b.Path) })
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
