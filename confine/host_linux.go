package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"swop/config"
	"swop/home/rules"
)

// resolvers are the directories in /run, which is private, that host names and programs are found by.
func resolvers() (list []string) {
	if file := realOr("/etc/resolv.conf", ""); config.Within(file, "/run") {
		list = append(list, filepath.Dir(file))
	}
	return append(list, existing("/run", "opengl-driver", "booted-system")...)
}

// homeMasks returns what HOME inside has for the entries that are not shared: the account's own, or nothing.
func homeMasks(c *Scene, own string, private []string) (masks []HomeMask, err error) {
	if len(private) == 0 {
		return nil, nil
	}
	list, err := names(c.Home)
	for _, name := range list {
		if name == ".codex" || !slices.ContainsFunc(private, func(pattern string) bool { return rules.Matches(pattern, name) }) {
			continue
		}
		m := HomeMask{Name: name, Dir: isDir(filepath.Join(c.Home, name))}
		if info, err := os.Lstat(filepath.Join(own, name)); err == nil && info.IsDir() == m.Dir && info.Mode()&fs.ModeSymlink == 0 {
			m.Source = filepath.Join(own, name)
		}
		masks = append(masks, m)
	}
	return masks, err
}
