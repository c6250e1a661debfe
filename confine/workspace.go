package confine

import (
	"path/filepath"
	"slices"

	"swop/config"
	"swop/confine/repository"
	"swop/disk"
)

// Root is a directory that is writable, except for some paths in it.
type Root struct {
	Path     string
	Readonly []string // what cannot be written, if it exists
	Git      []string // likewise, but where the policy says otherwise: what git obeys
	Kept     []string // what git obeys that the session may write
	Had      []string // what is unusual in it as a repository
}

// WorkspaceOf returns the directory that is writable around dir, one with links resolved: the git work tree that it is in, or the bare repository, else
// itself. The home is no work tree here, whatever lies in it.
func WorkspaceOf(dir, home string) string {
	for at := dir; at != "/" && at != home; at = filepath.Dir(at) {
		if disk.At(filepath.Join(at, ".git")).Exists() || repository.Is(at) {
			return at
		}
	}
	return dir
}

// mostLooked bounds the directories that are searched at a start: each takes some 10 µs.
const mostLooked = 500

// RootAt returns a writable directory in which what programs outside execute or obey is not writable: git's directories, and codex's. Of those, the
// first in the nearest directories are found here, and all others when the session has ended.
func RootAt(path string, user repository.User) Root {
	return rootOf(repository.Search{Root: path, User: user})
}

func rootOf(s repository.Search) Root {
	s.Most = mostLooked
	found, path := s.Find(), s.Root
	r := Root{Path: path, Git: found.Git}
	within := func(path string) bool {
		return slices.ContainsFunc(append(slices.Clip(s.Roots), s.Root), func(root string) bool { return config.Within(path, root) })
	}
	for _, named := range found.Named {
		if to := disk.Resolve(named.Path); within(to) {
			r.Git = append(r.Git, to)
		}
	}
	for _, codex := range found.Codex {
		r.Readonly = append(r.Readonly, codex)
		if to := disk.Resolve(codex); to != codex && within(to) {
			r.Readonly = append(r.Readonly, to) // what a link leads to
		}
	}
	return r
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

// existing returns the paths of the names in dir that exist and are no links.
func existing(dir string, names ...string) (paths []string) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if here := disk.At(path); here.Exists() && !here.IsLink() {
			paths = append(paths, path)
		}
	}
	return paths
}

// Forbidden says why a path can be no writable root, "" if it can: home is the user's own, in which a root may lie, and own are the places that
// belong to swop or codex.
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
