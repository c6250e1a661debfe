package confine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/confine/view"
	"swop/disk"
	"swop/home/rules"
)

// resolvers are the directories in /run, which is private, that host names and programs are found by.
func resolvers() (list []string) {
	if file := disk.Resolve("/etc/resolv.conf"); config.Within(file, "/run") {
		list = append(list, filepath.Dir(file))
	}
	return append(list, existing("/run", "opengl-driver", "booted-system")...)
}

// privateEntries returns those of the home, by the patterns that name them, with what the account has of its own.
func privateEntries(c *Scene, own string, patterns []string) (list []Private, err error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	shared, err := view.Names(c.Home)
	mine, ownErr := view.Names(own)
	all := slices.Sorted(slices.Values(append(shared, mine...)))
	for _, name := range slices.Compact(all) {
		if name == ".codex" || !slices.ContainsFunc(patterns, func(pattern string) bool { return rules.Matches(pattern, name) }) {
			continue
		}
		p := Private{Name: name}
		if info, err := os.Lstat(filepath.Join(own, name)); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			p.Source = filepath.Join(own, name)
		}
		list = append(list, p)
	}
	return list, errors.Join(err, ownErr)
}
