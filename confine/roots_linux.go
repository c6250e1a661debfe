package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/confine/mountns"
	"swop/confine/repository"
	"swop/disk"
	"swop/say"
)

// roots returns what the policy makes writable, the outer directories first.
func (s *Scene) roots() ([]Root, error) {
	var roots []Root
	if s.Policy.Mode == config.ConfineWorkspace {
		for _, path := range append([]string{s.Workspace}, s.Policy.Writable...) {
			roots = append(roots, s.rootAt(path, false))
		}
	}
	for _, path := range s.Granted {
		roots = append(roots, s.rootAt(path, true))
	}
	if s.Policy.Git == config.GitWrite {
		roots = withGit(roots)
	}
	if err := s.Policy.Check(roots, s.forbidden); err != nil {
		return nil, err
	}
	slices.SortStableFunc(roots, func(a, b Root) int { return len(a.Path) - len(b.Path) })
	return roots, nil
}

// rootAt returns what there was at a path the first time: a session goes by that.
func (s *Scene) rootAt(path string, given bool) Root {
	if s.found == nil {
		s.found = map[foundAt]Root{}
	}
	at := foundAt{path, given}
	root, ok := s.found[at]
	if !ok {
		root = s.lookAt(path, given)
		s.found[at] = root
	}
	return root
}

// foundAt is what a root was found for.
type foundAt struct {
	path  string
	given bool
}

// lookAt finds what in a root is not writable. What the user gave is written as a whole if it is a file, or if its name, or the .git of a workspace, says
// that it is git's; other directories may look like a repository because a session made them so.
func (s *Scene) lookAt(path string, given bool) Root {
	leads := func(root string) bool { return repository.Linked(root) == path }
	if given && (!disk.At(path).IsDir() || slices.Contains(components(path), ".git") || slices.ContainsFunc(append(slices.Clip(s.Policy.Writable), s.Workspace), leads)) {
		return Root{Path: path, Kept: []string{path}}
	}
	root := rootOf(repository.Search{Root: path, Roots: slices.Concat([]string{s.Workspace}, s.Policy.Writable, s.Granted), User: s.Git, Given: given})
	if given && repository.Is(path) {
		root.Had = repository.Unusual(path)
	}
	return root
}

// checkLinks refuses those of the policy's writable paths that lead elsewhere by a link in a directory that the user can write, and sessions too when
// it is a writable root: a session may have made it, here or in another workspace. A link in the home itself, or above that, is the user's own.
func (s *Scene) checkLinks(paths []string) error {
	for _, path := range paths {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || s.Policy.Mode != config.ConfineWorkspace {
			continue
		}
		for _, link := range disk.Links(path) {
			dir := filepath.Dir(link)
			mayBe := s.forbidden(dir) == "" && unix.Access(dir, unix.W_OK) == nil
			if mayBe && !s.bothIn(link, real) {
				return &Violation{"the writable root", path, "leads to " + say.Name(real) + " by the link " + say.Name(link) + ", which a session can change: name the directory itself in config.toml"}
			}
		}
	}
	return nil
}

// bothIn reports whether a link, and what it leads to, lie in a directory that can be written whatever the link says.
func (s *Scene) bothIn(link, real string) bool {
	roots := slices.Concat([]string{s.Workspace}, s.Policy.Writable, s.Granted)
	return slices.ContainsFunc(roots, func(root string) bool { return config.Within(link, root) && config.Within(real, root) && real != root })
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

// Lists in a session's directory, of paths, quoted, a line each.
const (
	rootsFile   = "roots"   // the directories for which it may begin transcripts: the workspace, and what it can write beside that
	writtenFile = "written" // the directories that it can write
	keptFile    = "kept"    // what it cannot write in them, or see, and what it may
	hadFile     = "had"     // what is unusual in repositories that it was given
)

// noteGiven notes what the session can write.
func (j *Jail) noteGiven(roots []Root, l layout) error {
	var paths, written, kept, had []string
	for _, root := range roots {
		paths, kept, had = append(paths, root.Path), append(kept, root.Kept...), append(had, root.Had...)
	}
	within := func(path string) bool {
		return slices.ContainsFunc(written, func(dir string) bool { return config.Within(path, dir) })
	}
	for _, m := range slices.Concat(l.mounts, l.watch) {
		switch {
		case m.Kind == mountns.Writable && disk.At(m.Source).IsDir() && !within(m.Source) && !config.Within(m.Source, j.dir) && !config.Within(m.Source, "/proc"):
			written = append(written, m.Source)
		case (m.Kind == mountns.Readonly || m.Kind == hidden && disk.At(m.Target).Exists()) && within(m.Target):
			kept = append(kept, m.Target)
		case m.Kind == mountns.Absent && m.Source != "":
			kept = append(kept, repository.Link(m.Target), disk.Resolve(m.Target))
		}
	}
	var failed []error
	for name, list := range map[string][]string{rootsFile: paths, writtenFile: written, keptFile: kept, hadFile: had} {
		failed = append(failed, addLines(filepath.Join(j.dir, name), list...))
	}
	return errors.Join(failed...)
}

// noteStart notes what the session can write when it begins.
func (j *Jail) noteStart() error {
	roots, err := j.scene.roots()
	roots = append([]Root{{Path: j.scene.Workspace}}, roots...)
	if j.scene.Policy.Mode == config.ConfineFull { // what it leaves is not looked at
		return errors.Join(err, j.noteGiven(append(roots, Root{Path: "/"}), layout{}))
	}
	return errors.Join(err, j.noteGiven(roots, j.scope.layout))
}

// addLines adds paths to a list.
func addLines(file string, paths ...string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, path := range paths {
		fmt.Fprintln(&text, strconv.Quote(path))
	}
	_, err = f.WriteString(text.String())
	return errors.Join(err, f.Close())
}

// linesOf returns the paths in a list. A missing one has none.
func linesOf(file string) (paths []string) {
	text, _ := os.ReadFile(file) // what cannot be read allows nothing
	for line := range strings.Lines(string(text)) {
		if path, err := strconv.Unquote(strings.TrimSuffix(line, "\n")); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}
