// Package repository finds what git obeys in a directory, as git finds it.
package repository

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"swop/config"
	"swop/disk"
)

// git runs what a repository's directory says: hooks, configuration, filters. So all that it takes for such a directory is read-only, and found as
// git finds it.

// Found is what programs outside obey in a directory.
type Found struct {
	Repositories []string // .git, and bare repositories, where git finds them
	Git          []string // all that git takes for a repository's directory then, and what the configuration of one includes or names as its hooks
	Codex        []string // codex's configuration for a project
	All          bool     // no directory was left out
}

// Find searches root and the directories below it, the nearer ones first, and at most so many. At the top it finds .git and .codex also where they are
// missing.
func Find(root string, most int) Found {
	s := search{root: root, Found: Found{Codex: []string{filepath.Join(root, ".codex")}}}
	s.entry(filepath.Join(root, ".git"))
	s.user()
	level := []string{root}
	for len(level) > 0 && most > 0 {
		n := min(len(level), most)
		dirs := lookAll(level[:n])
		level, most = level[n:], most-n
		for _, d := range dirs {
			for _, path := range d.repositories {
				s.entry(path)
			}
			s.Codex = append(s.Codex, d.codex...)
			level = append(level, d.below...)
		}
	}
	s.All, s.Git, s.Codex = len(level) == 0, config.Outermost(s.Git), config.Outermost(s.Codex) // the one at the top is there twice
	return s.Found
}

// search is for what is obeyed in root.
type search struct {
	Found
	root string
	seen []string
}

// directory is what a directory has itself, by paths.
type directory struct{ repositories, codex, below []string }

// lookAll looks at directories, several at once: the kernel takes most of the time.
func lookAll(dirs []string) []directory {
	found := make([]directory, len(dirs))
	var all sync.WaitGroup
	for first := range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := first; i < len(dirs); i += runtime.GOMAXPROCS(0) {
				found[i] = look(dirs[i])
			}
		})
	}
	all.Wait()
	return found
}

func look(path string) (found directory) {
	d, err := disk.Open(path, disk.NoFollow)
	if err != nil {
		return found // it cannot be written either
	}
	defer d.Close()
	names := map[string]bool{}
	_ = d.Each(func(name string, entry disk.Entry) error { // what it tells until it fails is all that there is
		switch at := filepath.Join(path, name); {
		case name == ".git":
			found.repositories = append(found.repositories, at)
		case name == ".codex":
			found.codex = append(found.codex, at)
		case entry.Mode.IsDir():
			found.below = append(found.below, at)
		}
		names[name] = true
		return nil
	})
	if isRepository(func(name string) bool { return names[name] }) {
		found.repositories = append(found.repositories, path)
	}
	return found
}

func (s *search) entry(path string) {
	if !slices.Contains(s.Repositories, path) {
		s.Repositories = append(s.Repositories, path)
		s.follow(path)
	}
}

// mostPlaces bounds what is followed.
const mostPlaces = 1000

// follow adds a path that git takes for a repository's directory, and those that it leads to: that of a linked work tree or a submodule, and the one
// that they share.
func (s *search) follow(path string) {
	if slices.Contains(s.seen, path) || len(s.seen) > mostPlaces {
		return
	}
	s.seen = append(s.seen, path)
	if config.Within(path, s.root) {
		s.Git = append(s.Git, path)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return
	case !info.IsDir():
		s.follow(leadsTo(path))
		return
	}
	if common, ok := pathIn(filepath.Join(path, "commondir"), ""); ok {
		s.follow(disk.Resolve(common))
	}
	s.configured(path)
}

// leadsTo returns where a .git that is a file or a link leads, with links resolved as far as it exists.
func leadsTo(path string) string {
	if dir, ok := pathIn(path, "gitdir: "); ok {
		path = dir
	}
	return disk.Resolve(path)
}

// user adds what the user's own configuration includes, or names as hooks. The home is one of the directories above root, if anything in root is named at
// all.
func (s *search) user() {
	for home := filepath.Dir(s.root); home != "/"; home = filepath.Dir(home) {
		s.named(filepath.Join(home, ".gitconfig"), s.root)
		s.named(filepath.Join(home, ".config", "git", "config"), s.root)
	}
}

// configured adds what the configuration of a repository includes, or names as its hooks.
func (s *search) configured(git string) {
	for _, name := range []string{"config", "config.worktree"} {
		s.named(filepath.Join(git, name), treeOf(git))
	}
}

// named adds what a configuration includes, or names as the directory of hooks, which begins at the work tree.
func (s *search) named(file, tree string) {
	list, _ := settingsOf(file)
	for _, of := range list {
		switch {
		case of.value == "" || len(s.seen) > mostPlaces:
		case strings.HasPrefix(of.section, "include") && of.key == "path":
			if to := s.expand(of.value, filepath.Dir(file)); !slices.Contains(s.seen, to) {
				s.give(to)
				s.named(to, tree)
			}
		case of.section == "core" && of.key == "hookspath":
			s.give(s.expand(of.value, tree))
		}
	}
}

// expand returns a path that begins at dir, or at the home, which is one of the directories above root if the path is in root at all.
func (s *search) expand(path, dir string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		for home := s.root; home != "/"; home = filepath.Dir(home) {
			if at := filepath.Join(home, rest); home != s.root && config.Within(at, s.root) {
				return at
			}
		}
	}
	return absolute(path, dir)
}

// give adds a path that git obeys, and where it leads.
func (s *search) give(path string) {
	s.seen = append(s.seen, path)
	for _, at := range []string{path, disk.Resolve(path)} {
		if config.Within(at, s.root) && at != s.root {
			s.Git = append(s.Git, at)
		}
	}
}

// treeOf returns the work tree of a repository's directory.
func treeOf(git string) string {
	if tree := workTree(git); tree != "" {
		return tree
	}
	if back, ok := pathIn(filepath.Join(git, "gitdir"), ""); ok {
		return filepath.Dir(back)
	}
	return filepath.Dir(git)
}

// Is reports whether git takes dir for a repository's directory, as a bare repository is.
func Is(dir string) bool {
	return isRepository(func(name string) bool { return disk.At(filepath.Join(dir, name)).Exists() })
}

// isRepository reports whether a directory with these names is one: a commondir says where the rest is.
func isRepository(has func(name string) bool) bool {
	return has("HEAD") && (has("commondir") || has("refs") && has("objects"))
}

// Linked returns the directory of the repository that a linked work tree or a submodule belongs to, "" for any other. Only one that
// knows the work tree counts: else a file in it could name any directory.
func Linked(top string) string {
	file := filepath.Join(top, ".git")
	dir, ok := pathIn(file, "gitdir: ")
	if !ok {
		return ""
	}
	if back, ok := pathIn(filepath.Join(dir, "gitdir"), ""); ok && back == file && filepath.Base(filepath.Dir(dir)) == "worktrees" {
		dir = filepath.Dir(filepath.Dir(dir))
	} else if workTree(dir) != top {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil && Is(real) {
		return real
	}
	return ""
}

// workTree returns where the work tree is of a repository whose configuration says so, as a submodule's does.
func workTree(dir string) string {
	list, _ := settingsOf(filepath.Join(dir, "config"))
	for _, of := range list {
		if of.section == "core" && of.key == "worktree" {
			to := absolute(of.value, dir)
			return disk.Resolve(to)
		}
	}
	return ""
}

// readSmall returns what a file of git's holds, nothing if it is large.
func readSmall(file string) string {
	const most = 1 << 16
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return ""
	}
	text, _ := os.ReadFile(file) // what cannot be read says nothing
	return string(text)
}

// pathIn returns the absolute path in a small file of git's, behind a prefix.
func pathIn(file, prefix string) (string, bool) {
	path, ok := strings.CutPrefix(strings.TrimRight(readSmall(file), "\r\n"), prefix)
	if !ok || path == "" {
		return "", false
	}
	return absolute(path, filepath.Dir(file)), true
}

// absolute returns a path that begins at dir.
func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
