package confine

import (
	"errors"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/confine/mountns"
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
func privateEntries(c *Scene, own string, patterns []string) (list []mountns.Mount, err error) {
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
		m := mountns.Mount{Kind: mountns.Writable, Target: filepath.Join(c.Home, name)}
		if here := disk.At(filepath.Join(own, name)); here.IsDir() || here.IsRegular() {
			m.Source = filepath.Join(own, name)
		}
		list = append(list, m)
	}
	return list, errors.Join(err, ownErr)
}
