package repository

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"swop/disk"
)

// A repository that a session made is ordinary if it has what git init, clone and commit make, and nothing that lets git run a program. All else is
// not: what a later git obeys need not be known here.

// whole returns the directory of the repository which dir is a linked work tree of, else dir.
func whole(dir string) string {
	if isLinkedTree(dir) {
		return filepath.Dir(filepath.Dir(dir))
	}
	return dir
}

// Unusual returns the paths of what in a repository's directory is not ordinary.
func Unusual(dir string) (list []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []string{dir}
	}
	for _, entry := range entries {
		at := filepath.Join(dir, entry.Name())
		switch name := entry.Name(); {
		case entry.Type()&^fs.ModeDir != 0: // a link leads elsewhere
			list = append(list, at)
		case entry.IsDir():
			list = append(list, unusualDir(at, name)...)
		case strings.HasPrefix(name, "config") && isPlain(at), name == "commondir" && isLinkedTree(dir), strings.HasSuffix(name, ".lock"):
		case !slices.Contains(ordinaryFiles(), name):
			list = append(list, at)
		}
	}
	return list
}

func ordinaryFiles() []string {
	return []string{
		"HEAD", "index", "packed-refs", "description", "shallow", "gitdir", "locked", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "REBASE_HEAD", "CHERRY_PICK_HEAD",
		"REVERT_HEAD", "COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG", "EDIT_DESCRIPTION", "NOTES_EDITMSG", "gc.log", "gc.pid",
	}
}

func unusualDir(at, name string) (list []string) {
	names, err := namesIn(at)
	if err != nil {
		return []string{at}
	}
	switch name {
	case "objects", "refs", "logs", "info", "reftable", "rr-cache":
		return unusualIn(at)
	case "hooks": // git runs none whose name has a dot (githooks(5)): pre-commit.sample, docs.url of gitoxide, which codex has
		for _, file := range names {
			if path := filepath.Join(at, file); !strings.Contains(file, ".") || disk.At(path).IsDir() {
				list = append(list, path)
			}
		}
		return list
	case "branches": // remotes, by an old form
		return entries(at)
	case "worktrees":
		for _, tree := range names {
			list = append(list, Unusual(filepath.Join(at, tree))...)
		}
		return list
	case "modules":
		return unusualModules(at)
	}
	return []string{at}
}

// unusualIn returns the repositories that lie in a directory of git's own, where an address can name them: a push runs their hooks; links there, by which
// git would write elsewhere; and what codex would obey where a later session moves it.
func unusualIn(dir string) (list []string) {
	_ = filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // what is gone runs nothing
		case err != nil, entry.Type()&^fs.ModeDir != 0, entry.Name() == ".git", entry.Name() == ".codex", entry.IsDir() && Is(at):
			if list = append(list, at); entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return list
}

// unusualModules looks at the submodules of a repository.
func unusualModules(dir string) (list []string) {
	names, err := namesIn(dir)
	if err != nil {
		return []string{dir}
	}
	for _, name := range names {
		switch at := filepath.Join(dir, name); {
		case Is(at):
			list = append(list, Unusual(at)...)
		case name != ".git" && name != ".codex" && disk.At(at).IsDir(): // a name may have slashes
			list = append(list, unusualModules(at)...)
		default:
			list = append(list, at)
		}
	}
	return list
}

func namesIn(dir string) (names []string, err error) {
	list, err := os.ReadDir(dir)
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names, err
}

// entries returns what a directory has, or itself where that cannot be told, or a path that is none.
func entries(path string) []string {
	names, err := namesIn(path)
	for i := range names {
		names[i] = filepath.Join(path, names[i])
	}
	if disk.At(path).Exists() && err != nil {
		names = append(names, path)
	}
	return names
}

// isPlain reports whether all that a configuration says is ordinary, in the form in which git writes it.
func isPlain(file string) bool {
	list, written := settingsOf(file)
	return written && !slices.ContainsFunc(list, func(of setting) bool {
		return !isPlainKey(of) && !(of.section == "core" && of.key == "worktree" && isModule(filepath.Dir(file)))
	})
}

// isLinkedTree reports whether dir is the part of a repository that belongs to a linked work tree, and leads to that repository.
func isLinkedTree(dir string) bool {
	return filepath.Base(filepath.Dir(dir)) == "worktrees" && textOf(filepath.Join(dir, "commondir")) == "../..\n"
}

// isModule reports whether the work tree of a repository leads back to it, as a submodule's does: else git would write anywhere.
func isModule(dir string) bool {
	back, ok := pathIn(filepath.Join(workTree(dir), ".git"), "gitdir: ")
	return ok && back == dir
}

// isPlainKey reports whether a setting lets git run nothing. An address with "::" names a program, and an update that begins with "!" is one.
func isPlainKey(of setting) bool {
	keys := strings.Fields(`
		core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode core.symlinks core.autocrlf core.eol core.safecrlf
		core.longpaths core.quotepath core.sparsecheckout core.sparsecheckoutcone core.sharedrepository core.compression core.preloadindex core.untrackedcache core.fsync
		extensions.objectformat extensions.refstorage extensions.partialclone extensions.worktreeconfig extensions.relativeworktrees extensions.preciousobjects remote.url
		remote.pushurl remote.fetch remote.push remote.mirror remote.prune remote.tagopt remote.promisor remote.partialclonefilter remote.gh-resolved branch.remote
		branch.pushremote branch.merge branch.rebase branch.description branch.autosetuprebase branch.autosetupmerge branch.gh-merge-base branch.github-pr-owner-number
		branch.vscode-merge-base submodule.active submodule.url submodule.update submodule.branch submodule.recurse user.name user.email user.signingkey color.ui
		feature.manyfiles fetch.prune fetch.prunetags fetch.parallel gc.auto gc.autodetach http.postbuffer index.version init.defaultbranch merge.conflictstyle
		protocol.version rebase.autostash rebase.autosquash pull.rebase pull.ff push.default push.autosetupremote push.followtags receive.denynonfastforwards
		receive.denycurrentbranch receive.denydeletes rerere.enabled rerere.autoupdate lfs.repositoryformatversion`)
	advises := of.section == "advice"
	signs := (of.section == "commit" || of.section == "tag") && of.key == "gpgsign"
	return (slices.Contains(keys, of.section+"."+of.key) || advises || signs && of.value == "false") && !strings.Contains(of.value, "::") && !strings.HasPrefix(of.value, "!")
}
