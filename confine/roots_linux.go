package confine

import (
	"path/filepath"
	"slices"

	"swop/config"
)

// roots returns what the policy makes writable, the outer directories first.
func (s *Scene) roots() ([]Root, error) {
	var roots []Root
	workspaces, granted := 0, slices.Clone(s.Granted)
	if s.Policy.Mode == config.ConfineWorkspace {
		roots, workspaces = slices.Clone(s.Workspace), len(s.Workspace)
		granted = append(granted, s.Policy.Writable...)
	}
	for _, path := range granted {
		roots = append(roots, RootAt(path))
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
			if path := filepath.Join(root.Path, name); exists(path) {
				roots[i].Readonly = append(roots[i].Readonly, path)
			}
		}
	}
	slices.SortStableFunc(roots, func(a, b Root) int { return len(a.Path) - len(b.Path) })
	return roots, nil
}

// forbidden says why a path can be no writable root, "" if it can.
func (s *Scene) forbidden(path string) string {
	return Forbidden(path, s.Home, slices.Concat([]string{s.Root, s.Config, s.SharedHome}, s.Programs))
}
