package confine

import (
	"path/filepath"
	"slices"

	"swop/config"
)

// roots returns what the policy makes writable, the outer directories first.
func (s *Scene) roots() ([]Root, error) {
	var roots []Root
	workspaces := 0
	if s.Policy.Mode == config.ConfineWorkspace {
		roots, workspaces = slices.Clone(s.Workspace), len(s.Workspace)
		for _, path := range s.Policy.Writable {
			roots = append(roots, RootAt(path))
		}
	}
	for _, path := range s.Granted {
		root := RootAt(path)
		if !isDir(path) || isRepository(path) {
			root = Root{Path: path} // as it was asked for
		}
		roots = append(roots, root)
	}
	if s.Policy.Git == config.GitWrite {
		roots = withGit(roots)
	}
	for i, root := range roots {
		what := "the writable root"
		if i < workspaces {
			what = "the workspace"
		}
		if reason := s.forbidden(root.Path); reason != "" {
			return nil, &Violation{what, root.Path, reason}
		}
		for _, name := range s.Policy.Readonly {
			roots[i].Readonly = append(slices.Clip(roots[i].Readonly), filepath.Join(root.Path, name))
		}
	}
	slices.SortStableFunc(roots, func(a, b Root) int { return len(a.Path) - len(b.Path) })
	return roots, nil
}

// withGit lets what git obeys in the roots be written, also where it lies elsewhere.
func withGit(roots []Root) []Root {
	for i, root := range roots {
		roots[i].Git = nil
		if repository := linkedRepository(root.Path); repository != "" && !config.Within(repository, root.Path) {
			roots = append(roots, Root{Path: repository})
		}
	}
	return roots
}

// forbidden says why a path can be no writable root, "" if it can.
func (s *Scene) forbidden(path string) string {
	own := slices.Concat([]string{s.Root, s.Config, s.SharedHome}, s.Programs)
	for _, place := range own {
		own = append(own, s.mounted.elsewhere(place, true)...)
	}
	reason := Forbidden(path, s.Home, own)
	for _, home := range s.mounted.elsewhere(s.Home, false) {
		if reason == "" && config.Within(home, path) {
			reason = "shows the home directory, by another mount"
		}
	}
	return reason
}
