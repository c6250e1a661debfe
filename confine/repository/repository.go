// Package repository finds what git obeys in a directory, as git finds it.
package repository

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
)

// git runs what a repository's directory says: hooks, configuration, filters. So all that it takes for such a directory is read-only, and found as
// git finds it.

// The bounds of the search for repositories in a directory that is none.
const (
	mostLevels = 3
	mostPlaces = 1000 // directories that are looked into, and places that are found
)

// Places returns what git obeys in root: .git, there or not; that of each repository in it, if root is none; and wherever those lead in root.
func Places(root string) []string {
	s := search{root: root, places: []string{filepath.Join(root, ".git")}}
	s.descend(root, mostLevels)
	return s.places
}

// search is for places in root that git obeys.
type search struct {
	root   string
	places []string
	seen   []string
	looked int
}

// descend finds the repositories in a directory.
func (s *search) descend(dir string, levels int) {
	git := filepath.Join(dir, ".git")
	switch s.looked++; {
	case Is(dir):
		s.follow(dir)
		return
	case exists(git):
		s.follow(git)
		return
	case levels == 0 || s.looked > mostPlaces:
		return
	}
	list, _ := os.ReadDir(dir) // what cannot be read cannot be written either
	for _, entry := range list {
		if entry.IsDir() {
			s.descend(filepath.Join(dir, entry.Name()), levels-1)
		}
	}
}

// follow adds a path that git takes for a repository's directory, and those that it leads to: that of a linked work tree or a submodule, the one
// that they share, and the .git of all that belong to it.
func (s *search) follow(path string) {
	if slices.Contains(s.seen, path) || len(s.seen) > mostPlaces {
		return
	}
	s.seen = append(s.seen, path)
	if config.Within(path, s.root) {
		s.places = append(s.places, path)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return
	case info.Mode()&fs.ModeSymlink != 0:
		s.follow(realOr(path, path))
		return
	case info.Mode().IsRegular():
		if dir, ok := pathIn(path, "gitdir: "); ok {
			s.follow(realOr(dir, dir))
		}
		return
	}
	if common, ok := pathIn(filepath.Join(path, "commondir"), ""); ok {
		s.follow(realOr(common, common))
	}
	trees, _ := os.ReadDir(filepath.Join(path, "worktrees"))
	for _, tree := range trees {
		if git, ok := pathIn(filepath.Join(path, "worktrees", tree.Name(), "gitdir"), ""); ok {
			s.follow(git)
		}
	}
	s.modules(filepath.Join(path, "modules"), mostLevels)
}

// modules follows the submodules of a repository. A name may have slashes.
func (s *search) modules(dir string, levels int) {
	list, _ := os.ReadDir(dir)
	for _, entry := range list {
		switch at := filepath.Join(dir, entry.Name()); {
		case Is(at):
			s.follow(at)
			if tree := workTree(at); tree != "" {
				s.follow(filepath.Join(tree, ".git"))
			}
		case entry.IsDir() && levels > 0:
			s.modules(at, levels-1)
		}
	}
}

// Is reports whether git takes dir for a repository's directory, as a bare repository is.
func Is(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && isDir(filepath.Join(dir, "refs")) && isDir(filepath.Join(dir, "objects"))
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
	if dir = realOr(dir, ""); dir == "" || !Is(dir) {
		return ""
	}
	return dir
}

// workTree returns where the work tree is of a repository whose configuration says so, as a submodule's does.
func workTree(dir string) string {
	text := readSmall(filepath.Join(dir, "config"))
	for line := range strings.Lines(text) {
		if to, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree = "); ok {
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			return realOr(to, to)
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
	path, ok := strings.CutPrefix(strings.TrimSuffix(readSmall(file), "\n"), prefix)
	if !ok || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), true
}

func realOr(path, otherwise string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return otherwise
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
