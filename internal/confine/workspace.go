package confine

import (
	"cmp"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/disk"
)

// WorkspaceOf returns the directory that is writable around dir, one with links resolved: the git work tree that it is in, or the bare
// repository, else itself; the home is none. The error is of a directory that nobody may look into: a session would choose the workspace.
func WorkspaceOf(dir, home string) (string, error) {
	tree, err := workTree(dir, home)
	return cmp.Or(tree, dir), err
}

func workTree(dir, home string) (tree string, err error) {
	exists := func(path string) bool {
		here, failed := disk.Lstat(path)
		err = cmp.Or(err, failed)
		return here.Exists()
	}
	for at := dir; at != "/" && at != home && tree == "" && err == nil; at = filepath.Dir(at) {
		git := filepath.Join(at, ".git")
		if exists(git) && !disk.At(git).IsDir() || exists(filepath.Join(git, "HEAD")) || isRepository(at, exists) {
			tree = at
		}
	}
	return tree, err
}

// Own returns where the files lie that swop and codex obey, and the links that lead there.
func Own(of config.Places, sharedHome string) []string {
	return through("", of.Root, filepath.Join(of.Home, ".swop"), of.Config, filepath.Join(of.Config, config.SettingsFile),
		filepath.Join(of.Config, config.SelectorFile), filepath.Join(of.Home, ".codex"), sharedHome, filepath.Join(sharedHome, "config.toml"))
}

// Forbidden says why a path can be no writable root, "" if it can: home is the user's own, in which a root may lie, own are the places
// that belong to swop or codex, and all sessions have what isShared.
func Forbidden(path, home string, own []string, isShared func(path string) bool) string {
	if config.Within(home, path) {
		return "is your home directory or one around it"
	}
	for _, place := range own {
		if place != "" && (config.Within(path, place) || config.Within(place, path)) {
			return "overlaps with what belongs to swop or codex: " + place
		}
	}
	for _, system := range []string{"/dev", "/proc", "/sys", "/run"} {
		if config.Within(path, system) && !config.Within(path, "/dev/shm/") {
			return "belongs to the system"
		}
	}
	if slices.Contains([]string{"/tmp", "/var/tmp"}, path) {
		return "is shared with all programs; use a directory in it"
	}
	if !config.Within(path, home) && isShared(path) {
		return "is the system's, which all sessions see"
	}
	return ""
}
