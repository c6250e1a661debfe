package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"swop/config"
	"swop/confine/repository"
	"swop/say"
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
		if !isDir(path) || repository.Is(path) {
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

// checkLinks refuses those of the policy's writable paths that lead elsewhere by a link in a directory that can be written: a session may have
// made it.
func (s *Scene) checkLinks(paths []string) error {
	roots := slices.Concat(s.Policy.Writable, s.Granted)
	for _, root := range s.Workspace {
		roots = append(roots, root.Path)
	}
	for _, path := range paths {
		for _, link := range linksOf(path) {
			real := realOr(path, "")
			in := func(root string) bool { return config.Within(link, root) && !config.Within(real, root) }
			if s.Policy.Mode == config.ConfineWorkspace && real != "" && slices.ContainsFunc(roots, in) {
				return &Violation{"the writable root", path, "leads to " + say.Name(real) + " by the link " + say.Name(link) + ", which a session can change: name the directory itself in config.toml"}
			}
		}
	}
	return nil
}

// withGit lets what git obeys in the roots be written, also where it lies elsewhere.
func withGit(roots []Root) []Root {
	for i, root := range roots {
		roots[i].Git = nil
		if linked := repository.Linked(root.Path); linked != "" && !config.Within(linked, root.Path) {
			roots = append(roots, Root{Path: linked})
		}
	}
	return roots
}

// forbidden says why a path can be no writable root, "" if it can.
func (s *Scene) forbidden(path string) string {
	own := slices.Concat([]string{s.Root, s.Config, s.SharedHome}, s.Programs)
	for _, place := range own {
		own = append(own, s.mounted.Elsewhere(place, true)...)
	}
	reason := Forbidden(path, s.Home, own)
	for _, home := range s.mounted.Elsewhere(s.Home, false) {
		if reason == "" && config.Within(home, path) {
			reason = "shows the home directory, by another mount"
		}
	}
	return reason
}

// rootsFile lists the directories for which a session may begin transcripts, quoted, a line each.
const rootsFile = "roots"

// noteRoots notes for which directories the session may begin transcripts.
func (j *Jail) noteRoots() error {
	roots, err := j.scene.roots()
	if err != nil {
		return err
	}
	paths := j.workspace()
	for _, root := range roots {
		paths = append(paths, root.Path)
	}
	if j.scene.Policy.Mode == config.ConfineFull {
		paths = append(paths, "/")
	}
	return j.addRoots(paths...)
}

func (j *Jail) addRoots(paths ...string) error {
	f, err := os.OpenFile(filepath.Join(j.dir, rootsFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for _, path := range paths {
		_, writeErr := fmt.Fprintln(f, strconv.Quote(path))
		err = errors.Join(err, writeErr)
	}
	return errors.Join(err, f.Close())
}

// rootsOf returns the directories for which the session in dir may begin transcripts.
func rootsOf(dir string) (roots []string) {
	text, _ := os.ReadFile(filepath.Join(dir, rootsFile)) // without it no new transcript is taken, and all are kept
	for line := range strings.Lines(string(text)) {
		if path, err := strconv.Unquote(strings.TrimSuffix(line, "\n")); err == nil {
			roots = append(roots, path)
		}
	}
	return roots
}
