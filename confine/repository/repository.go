// Package repository finds what git obeys in a directory, as git finds it.
package repository

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"swop/config"
	"swop/disk"
	"swop/disk/sys"
)

// git runs what a repository's directory says: hooks, configuration, filters. So all that it takes for such a directory is read-only, and found as
// git finds it.

// Found is what programs outside obey in a directory.
type Found struct {
	Repositories []string // .git, and bare repositories, where git finds them
	Git          []string // all that git takes for a repository's directory then
	Named        []Named  // what git's configuration includes, or names as hooks
	Codex        []string // codex's configuration for a project
	All          bool     // nothing was left out
}

// Named is a path that git's configuration names in a work tree.
type Named struct{ Path, Tree string }

// User is whose git it is.
type User struct {
	Home  string
	Files []string // git's configuration beside that of a repository
}

// UserOf returns the user with a home and an environment. Git has both global files unless a variable names one (git-config(1)).
func UserOf(home string, env config.Env) User {
	dir := env.Value("XDG_CONFIG_HOME")
	if dir == "" {
		dir = filepath.Join(home, ".config")
	}
	files := []string{"/etc/gitconfig", filepath.Join(dir, "git", "config"), filepath.Join(home, ".gitconfig")}
	if file := env.Value("GIT_CONFIG_GLOBAL"); file != "" {
		files = append(files, file)
	}
	return User{home, files}
}

// Search says where to look.
type Search struct {
	Root  string
	Roots []string // and what else can be written, where a configuration may name something
	Most  int      // directories that are searched, the nearer ones first
	User  User
	Given bool // Root is to be written, also if it is a bare repository

	ready func(dir string) string  // is called before a directory is looked at, and returns where it is then; nil for nothing
	skips func(config string) bool // what this configuration of git's says is not looked at; nil for none
}

// Find searches a directory. At the top it finds .git and .codex also where they are missing.
func (s Search) Find() Found {
	f := finder{Search: s, seen: map[Named]bool{}, says: map[string][]setting{}, Found: Found{All: true, Codex: []string{filepath.Join(s.Root, ".codex")}}}
	f.entry(filepath.Join(s.Root, ".git"))
	level := []string{s.Root}
	for len(level) > 0 && s.Most > 0 {
		n := min(len(level), s.Most)
		if s.ready != nil {
			for i, dir := range level[:n] {
				level[i] = s.ready(dir)
			}
		}
		dirs := lookAll(level[:n])
		level, s.Most = level[n:], s.Most-n
		for _, d := range dirs {
			for _, path := range d.repositories {
				if path != s.Root || !s.Given {
					f.entry(path)
				}
			}
			f.Codex = append(f.Codex, d.codex...)
			level = append(level, d.below...)
			f.All = f.All && !d.unknown
		}
	}
	f.All, f.Git, f.Codex = f.All && len(level) == 0, config.Outermost(f.Git), config.Outermost(f.Codex) // the one at the top is there twice
	return f.Found
}

// finder is for what is obeyed in a directory.
type finder struct {
	Found
	Search
	seen map[Named]bool
	says map[string][]setting // by the file
}

// directory is what a directory has itself, by paths.
type directory struct {
	repositories, codex, below []string
	unknown                    bool // it has more
}

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
		found.unknown = !slices.ContainsFunc([]error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ELOOP}, func(gone error) bool { return errors.Is(err, gone) })
		return found // what is closed cannot be written either
	}
	defer d.Close()
	names := map[string]bool{}
	err = d.Each(func(name string, entry disk.Entry) error {
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
	found.unknown = err != nil
	if isRepository(func(name string) bool { return names[name] }) {
		found.repositories = append(found.repositories, path)
	}
	return found
}

// isSeen reports whether a path was followed for something before, or too many were.
func (f *finder) isSeen(path, why string) bool {
	at, most := Named{path, why}, 1000+3*f.Search.Most
	if len(f.seen) > most {
		f.All = false
		return true
	}
	seen := f.seen[at]
	f.seen[at] = true
	return seen
}

// entry adds what git finds as a repository. Its work tree is the directory around .git; a bare one has none, and hooks run in itself.
func (f *finder) entry(path string) {
	if f.isSeen(path, "") {
		return
	}
	f.Repositories = append(f.Repositories, path)
	tree := path
	if filepath.Base(path) == ".git" {
		tree = filepath.Dir(path)
	}
	f.follow(path, tree)
	for _, file := range f.User.Files {
		f.named(file, tree)
	}
}

// follow adds a path that git takes for a repository's directory, and those that it leads to: that of a linked work tree or a submodule, and the one
// that they share.
func (f *finder) follow(path, tree string) {
	if f.isSeen(path, tree) {
		return
	}
	if config.Within(path, f.Root) && (path != f.Root || !f.Given) {
		f.Git = append(f.Git, path)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return
	case !info.IsDir():
		f.follow(disk.Resolve(leadsTo(path)), tree)
		return
	}
	if common, ok := pathIn(filepath.Join(path, "commondir"), ""); ok {
		f.follow(disk.Resolve(common), tree)
	}
	f.configured(path, tree)
}

// leadsTo returns what a .git that is a file names, any other path itself.
func leadsTo(path string) string {
	if dir, ok := pathIn(path, "gitdir: "); ok {
		return dir
	}
	return path
}

// configured adds what the configuration of a repository includes, or names as its hooks, in each of its work trees.
func (f *finder) configured(git, tree string) {
	trees := []string{tree, treeOf(git)}
	if !f.isSeen(git, "linked") {
		linked, _ := namesIn(filepath.Join(git, "worktrees")) // most have none
		for _, name := range linked {
			if back, ok := pathIn(filepath.Join(git, "worktrees", name, "gitdir"), ""); ok {
				trees = append(trees, filepath.Dir(back))
			}
		}
	}
	for _, tree := range trees {
		f.named(filepath.Join(git, "config"), tree)
		f.named(filepath.Join(git, "config.worktree"), tree)
	}
}

// named adds what a configuration includes, or names as the directory of hooks, which begins at the work tree.
func (f *finder) named(file, tree string) {
	if f.isSeen(file, tree) || f.skips != nil && f.skips(file) {
		return
	}
	list, ok := f.says[file]
	if !ok {
		list, _ = settingsOf(file) // of a link too
		f.says[file] = list
	}
	for _, of := range list {
		switch {
		case of.value == "":
		case strings.HasPrefix(of.section, "include") && of.key == "path":
			to := f.expand(of.value, filepath.Dir(file))
			f.give(to, tree)
			f.named(disk.Resolve(to), tree)
		case of.section == "core" && of.key == "hookspath":
			f.give(f.expand(of.value, tree), tree)
		}
	}
}

// expand returns a path that begins at dir, or at the home.
func (f *finder) expand(path, dir string) string {
	for _, home := range []string{"~/", "~" + filepath.Base(f.User.Home) + "/"} {
		if rest, ok := strings.CutPrefix(path, home); ok {
			return filepath.Join(f.User.Home, rest)
		}
	}
	return absolute(path, dir)
}

// give adds a path that git obeys in a work tree.
func (f *finder) give(path, tree string) {
	to := disk.Resolve(path)
	if to != f.Root && slices.ContainsFunc(append(slices.Clip(f.Roots), f.Root), func(root string) bool { return config.Within(path, root) || config.Within(to, root) }) && !f.isSeen(path, "named in "+tree) {
		f.Named = append(f.Named, Named{path, tree})
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
	if filepath.Base(git) == ".git" {
		return filepath.Dir(git)
	}
	return git
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

// mostText bounds a file of git's that is read, in bytes.
const mostText = 1 << 16

// textOf returns what a small file of git's holds. What cannot be read says nothing.
func textOf(file string) string {
	text, _ := disk.ReadFile(file, sys.O_NOFOLLOW, mostText)
	return text
}

// pathIn returns the absolute path in a small file of git's, behind a prefix.
func pathIn(file, prefix string) (string, bool) {
	path, ok := strings.CutPrefix(strings.TrimRight(textOf(file), "\r\n"), prefix)
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
