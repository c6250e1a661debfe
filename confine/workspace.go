package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/config"
)

// Root is a directory that is writable, except for some entries.
type Root struct {
	Path string
	// Pinned are entries that can be written to and not be moved, Readonly those that cannot be written: paths in Path.
	Pinned, Readonly []string
}

// Workspace returns what is writable around dir, a directory with links resolved: the git work tree that it is in, else itself. A linked work
// tree needs its repository's directory as well. The home is no work tree here, whatever lies in it.
func Workspace(dir, home string) []Root {
	top := dir
	for at := dir; at != "/" && at != home; at = filepath.Dir(at) {
		if exists(filepath.Join(at, ".git")) {
			top = at
			break
		}
	}
	roots := []Root{RootAt(top)}
	if repository := linkedRepository(top); repository != "" && !config.Within(repository, top) {
		roots = append(roots, Root{Path: repository, Readonly: existing(repository, "hooks", "config", "config.worktree", "info")})
	}
	return roots
}

// RootAt returns a writable directory in which what programs outside execute or obey is not writable: git's hooks and configuration, and
// codex's.
func RootAt(path string) Root {
	root := Root{Path: path, Readonly: existing(path, ".codex")}
	git := filepath.Join(path, ".git")
	switch info, err := os.Lstat(git); {
	case err != nil:
	case info.IsDir():
		root.Pinned = []string{git}
		root.Readonly = append(root.Readonly, existing(git, "hooks", "config", "config.worktree", "info")...)
	case info.Mode().IsRegular():
		root.Readonly = append(root.Readonly, git)
	}
	return root
}

// existing returns the paths of the names in dir that exist and are no links.
func existing(dir string, names ...string) (paths []string) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			paths = append(paths, path)
		}
	}
	return paths
}

// linkedRepository returns the directory of the repository that a linked work tree belongs to, "" for any other. Only a repository that knows
// the work tree counts: else a file in it could name any directory.
func linkedRepository(top string) string {
	file := filepath.Join(top, ".git")
	dir, ok := pathIn(file, "gitdir: ")
	if !ok {
		return ""
	}
	back, ok := pathIn(filepath.Join(dir, "gitdir"), "")
	if !ok || back != file || filepath.Base(filepath.Dir(dir)) != "worktrees" {
		return ""
	}
	repository, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(dir)))
	if err != nil || !isDir(filepath.Join(repository, "objects")) {
		return ""
	}
	return repository
}

// pathIn returns the absolute path in a small file of git's, behind a prefix.
func pathIn(file, prefix string) (string, bool) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<12 {
		return "", false
	}
	text, err := os.ReadFile(file)
	path, ok := strings.CutPrefix(strings.TrimSuffix(string(text), "\n"), prefix)
	if err != nil || !ok {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), true
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
