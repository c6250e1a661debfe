package confine

import (
	"io/fs"
	"os"
	"path/filepath"

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
		if !matchesAny(private, name) || name == ".codex" {
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

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if rules.Matches(pattern, name) {
			return true
		}
	}
	return false
}
