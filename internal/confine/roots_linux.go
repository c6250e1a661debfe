package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/say"
)

// roots returns what the session can write, the outer directories first.
func (s *Scene) roots() (roots []Root) {
	for _, path := range s.Policy.Roots(s.Workspace) {
		roots = append(roots, s.Policy.RootAt(path, s.Policy.Git))
		if to := linked(path); s.Policy.Git == config.GitWrite && to != "" && !config.Within(to, path) && s.forbidden(to) == "" {
			roots = append(roots, Root{Path: to}) // where the repository is
		}
	}
	for _, path := range s.Granted { // what the user gave is written as a whole where it is a file, or git's
		if disk.At(path).IsDir() && !slices.Contains(components(path), ".git") {
			roots = append(roots, s.Policy.RootAt(path, config.GitRead))
		} else {
			roots = append(roots, Root{Path: path})
		}
	}
	slices.SortStableFunc(roots, func(a, b Root) int { return len(a.Path) - len(b.Path) })
	return roots
}

// checkLinks refuses those of the policy's writable paths that lead elsewhere by a link in a directory that the user can write, and
// sessions too when it is a writable root: a session may have made it, here or in another workspace. A link in the home itself, or above
// that, is the user's own.
func (s *Scene) checkLinks(paths []string) error {
	for _, path := range paths {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		for _, link := range disk.Links(path) {
			dir := filepath.Dir(link)
			if s.forbidden(dir) == "" && unix.Access(dir, unix.W_OK) == nil {
				return &Violation{"the writable root", path, "leads to " + say.Name(real) + " by the link " + say.Name(link) + ", which a session can change: name the directory itself in config.toml"}
			}
		}
	}
	return nil
}

// forbidden says why a path can be no writable root, "" if it can.
func (s *Scene) forbidden(path string) string {
	return Forbidden(path, s.Home, slices.Concat([]string{s.Root, s.Config, s.SharedHome}, s.Programs))
}

// socketsInSight returns the paths of the Unix sockets on this machine.
func socketsInSight() (list []string) {
	text, _ := os.ReadFile("/proc/net/unix") // what cannot be read covers nothing
	for line := range strings.Lines(string(text)) {
		if _, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " /"); ok && disk.At("/"+path).Exists() {
			list = append(list, disk.Resolve("/"+path))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
