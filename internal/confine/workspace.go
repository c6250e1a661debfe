package confine

import (
	"path/filepath"
	"slices"

	"swop/config"
	"swop/internal/disk"
)

// Root is a directory that is writable, except for some paths in it.
type Root struct {
	Path     string
	Readonly []string // what cannot be written, if it exists
}

// WorkspaceOf returns the directory that is writable around dir, one with links resolved: the git work tree that it is in, or the bare
// repository, else itself. The home is no work tree here, whatever lies in it.
func WorkspaceOf(dir, home string) string {
	for at := dir; at != "/" && at != home; at = filepath.Dir(at) {
		git := filepath.Join(at, ".git")
		if disk.At(git).Exists() && !disk.At(git).IsDir() || disk.At(filepath.Join(git, "HEAD")).Exists() || isRepository(at) {
			return at
		}
	}
	return dir
}

// RootAt returns a writable directory in which what codex obeys is not writable, as it is now, nor what git obeys unless git is
// [config.GitWrite].
func RootAt(path, git string) Root {
	ofGit, readonly := obeyed(path)
	if git != config.GitWrite {
		readonly = append(readonly, ofGit...)
	}
	return Root{path, readonly}
}

// Check gives each root what the policy names read-only in it. It fails with a [*Violation] if forbidden says why one can be no root.
func (p *Policy) Check(roots []Root, forbidden func(path string) string) error {
	for i, root := range roots {
		what := "the writable root"
		if i == 0 && p.Mode == config.ConfineWorkspace {
			what = "the workspace"
		}
		if reason := forbidden(root.Path); reason != "" {
			return &Violation{what, root.Path, reason}
		}
		for _, name := range p.Readonly {
			roots[i].Readonly = append(slices.Clip(roots[i].Readonly), filepath.Join(root.Path, name))
		}
	}
	return nil
}

// Forbidden says why a path can be no writable root, "" if it can: home is the user's own, in which a root may lie, and own are the places
// that belong to swop or codex.
func Forbidden(path, home string, own []string) string {
	switch {
	case path == "/":
		return "is the whole system"
	case path == home:
		return "is the home directory itself"
	case config.Within(home, path):
		return "contains the home directory"
	}
	for _, place := range own {
		if place != "" && (config.Within(path, place) || config.Within(place, path)) {
			return "overlaps with what belongs to swop or codex: " + place
		}
	}
	for _, system := range []string{"/dev", "/proc", "/sys", "/run", "/System"} {
		if config.Within(path, system) && !config.Within(path, "/dev/shm/") {
			return "belongs to the system"
		}
	}
	if slices.Contains([]string{"/tmp", "/var", "/var/tmp", "/private/tmp", "/private/var", "/private/var/tmp"}, path) {
		return "is shared with all programs; use a directory in it"
	}
	return ""
}
