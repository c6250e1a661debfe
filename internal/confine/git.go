package confine

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// mostLooked bounds the directories that are searched at a start, mostListed the entries of one (a test sets it). mostCovered bounds the
// names of what is covered in a writable directory, and above: each takes half a millisecond, and the system has a number (fs.mount-max).
var (
	mostLooked  = 500
	mostListed  = 100_000
	mostCovered = 10_000
)

// obeyed returns the paths that git and codex obey below a directory: each .git with the directories it leads to, and each .codex, of the
// nearest mostLooked directories; and whether there are more. A directory that cannot be listed is returned itself.
func obeyed(root string) (git, codex []string, more bool) {
	level := []string{root}
	for looked := 0; len(level) > 0; looked++ {
		if looked == mostLooked {
			return git, codex, true
		}
		dir := level[0]
		level = level[1:]
		if at := filepath.Join(dir, ".git"); disk.MayExist(at) {
			git = append(git, ledTo(at, root)...)
		}
		if at := filepath.Join(dir, ".codex"); disk.MayExist(at) {
			codex = append(codex, through(root, at)...)
		}
		var entries []fs.DirEntry
		f, err := os.OpenFile(dir, sys.O_NONBLOCK|sys.O_NOFOLLOW, 0) // and no FIFO that came in its place
		if err == nil {
			entries, err = f.ReadDir(mostListed)
			_ = f.Close() // nothing was written
		}
		if disk.Ignore(err, io.EOF, sys.ENOTDIR) != nil || len(entries) == mostListed { // a program inside could let it be read
			codex = append(codex, seen(dir, root))
		}
		for _, entry := range entries {
			if name := entry.Name(); entry.IsDir() && name != ".git" && name != ".codex" {
				level = append(level, filepath.Join(dir, name))
			}
		}
	}
	return git, codex, more
}

// through returns the links that paths lead through, and their targets, each by [seen]; for a path with too many links, or one that may not
// be looked at, the directory above.
func through(root string, paths ...string) (list []string) {
	for _, path := range paths {
		links, to := disk.Links(path)
		for _, at := range append(links, cmp.Or(to, filepath.Dir(path))) {
			list = append(list, seen(at, root))
		}
	}
	return list
}

// longest bounds the path of a cover, in bytes: while it is made its path is longer, and has 4,096 at most (path_resolution(7)).
const longest = 4000

// seen returns path, or the nearest directory above, root at most, in which it can be looked for: a program inside could open the others.
func seen(path, root string) string {
	if _, err := disk.Lstat(path); path != root && (err != nil || len(path) > longest) {
		return seen(filepath.Dir(path), root)
	}
	return path
}

// ledTo returns a .git, the directory that it names where it is a file or a link, as in a linked work tree or a submodule, and the one that
// commondir names there.
func ledTo(path, root string) []string {
	list := through(root, path)
	if to, ok := pathIn(list[len(list)-1], "gitdir: "); ok {
		list = append(list, through(root, to)...)
	}
	if to, ok := pathIn(filepath.Join(list[len(list)-1], "commondir"), ""); ok {
		list = append(list, through(root, to)...)
	}
	return list
}

// inGit reports whether a path is a .git, or lies in one.
func inGit(path string) bool { return strings.Contains(path+"/", "/.git/") }

// linked returns the directory of the repository that a linked work tree or a submodule belongs to, "" for any other. Only one that knows
// the work tree counts: else a file in it could name any directory.
func linked(top string) string {
	file := filepath.Join(top, ".git")
	named, _ := pathIn(file, "gitdir: ")
	dir, err := filepath.EvalSymlinks(named) // once: a link in it could lead elsewhere the next time
	back, _ := pathIn(filepath.Join(dir, "gitdir"), "")
	repository, in := filepath.Split(filepath.Dir(dir))
	switch {
	case err != nil:
	case back == file && in == "worktrees" && isRepository(repository, disk.MayExist):
		return filepath.Clean(repository)
	case isRepository(dir, disk.MayExist) && workTreeOf(dir) == top:
		return dir
	}
	return ""
}

// workTreeOf returns the work tree that the configuration of a submodule's repository names, "" for none.
func workTreeOf(repository string) string {
	text, _ := textOf(filepath.Join(repository, "config")) // one that cannot be read names none
	for line := range strings.Lines(text) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree = "); ok {
			tree, _ := filepath.EvalSymlinks(filepath.Join(repository, path)) // "" for one that is not there
			return tree
		}
	}
	return ""
}

// isRepository reports whether git takes dir for a repository's directory, by what exists.
func isRepository(dir string, exists func(path string) bool) bool {
	has := func(name string) bool { return exists(filepath.Join(dir, name)) }
	return has("HEAD") && (has("commondir") || has("refs") && has("objects"))
}

// textOf returns the text of a small file of git's.
func textOf(file string) (string, error) {
	const most = 1 << 16
	return disk.ReadOwn(file, most)
}

// pathIn returns the absolute path in a small file of git's, behind a prefix. One that is longer than any path that git follows is none. Of
// a file that may not be read it returns the directory: a program inside could let it be read again.
func pathIn(file, prefix string) (string, bool) {
	text, err := textOf(file)
	if errors.Is(err, fs.ErrPermission) {
		return filepath.Dir(file), true
	}
	path, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), prefix)
	if !ok || path == "" || len(path) > longest {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), true
}
