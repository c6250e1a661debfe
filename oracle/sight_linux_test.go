package oracle

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// sight is what the sessions of an account see, and what plain sh sees, of all entries that the other account has not touched.
type sight struct {
	paths map[string]bool
	seen  map[string]value // in the sandbox
	plain map[string]value
	links map[string]string // entries of the sandbox that are links to an entry of the real home
	// elsewhere are links to an entry of the real home that are not at the top of the same home.
	elsewhere map[string]bool
}

// value is what is found under a path when links are followed.
type value struct {
	text  string // "" for nothing
	inode uint64 // of a file or a directory
	names uint64 // how many hard links a file has

	changed time.Time // when its inode was, of a file
}

func (r *run) look(key string) *sight {
	s := &sight{map[string]bool{}, map[string]value{}, map[string]value{}, map[string]string{}, map[string]bool{}}
	for _, top := range r.topsSeen(key) {
		for _, home := range []string{r.plain, r.sandbox(key)} {
			s.addPaths(home, top)
		}
	}
	for path := range s.paths {
		target, _ := os.Readlink(filepath.Join(r.sandbox(key), path))
		if to, ok := strings.CutPrefix(target, r.real+"/"); ok && (topOf(path) != path || inCodexHome(path) != inCodexHome(to)) {
			s.elsewhere[path] = true
		}
		s.seen[path], s.plain[path] = valueAt(filepath.Join(r.sandbox(key), path)), valueAt(filepath.Join(r.plain, path))
	}
	for top := range topNames(r.sandbox(key)) {
		if target, err := os.Readlink(filepath.Join(r.sandbox(key), top)); err == nil && strings.HasPrefix(target, r.real+"/") {
			s.links[top] = strings.TrimPrefix(target, r.real+"/")
		}
	}
	return s
}

// topsSeen returns the entries of the plain home and of the sandbox that the other account has not touched.
func (r *run) topsSeen(key string) (tops []string) {
	all := topNames(r.plain)
	for top := range topNames(r.sandbox(key)) {
		all[top] = true
	}
	for top := range all {
		claimed := false
		for other, a := range r.accounts {
			claimed = claimed || other != key && a.claims[top]
		}
		if !claimed {
			tops = append(tops, top)
		}
	}
	return tops
}

// topNames returns the entries at the top of a home and of its codex home, except for what is swop's or private, and for git's own and databases,
// which are compared by what they hold when all is over.
func topNames(home string) map[string]bool {
	names := map[string]bool{}
	for _, dir := range []string{"", ".codex/"} {
		entries, _ := os.ReadDir(filepath.Join(home, dir)) // it is there
		for _, entry := range entries {
			if name := dir + entry.Name(); !uncompared(name) && name != ".codex" {
				names[name] = true
			}
		}
	}
	return names
}

// uncompared reports whether a path is not compared as a file.
func uncompared(path string) bool {
	return path == ".swop" || path == ".codex/.gitignore" || strings.Contains("/"+path+"/", "/.git/") || isDatabase(path)
}

// addPaths adds the paths of an entry and of all below it.
func (s *sight) addPaths(home, top string) {
	if _, err := os.Lstat(filepath.Join(home, top)); err == nil {
		s.paths[top] = true
		s.addBelow(home, top)
	}
}

// addBelow adds the paths below a directory, or a link to one.
func (s *sight) addBelow(home, dir string) {
	entries, _ := os.ReadDir(filepath.Join(home, dir)) // what is none has none
	for _, entry := range entries {
		name := dir + "/" + entry.Name()
		if uncompared(name) {
			continue
		}
		s.paths[name] = true
		if entry.IsDir() {
			s.addBelow(home, name)
		}
	}
}

const aDirectory = "a directory"

func valueAt(path string) value {
	info, err := os.Stat(path)
	if err != nil {
		return value{}
	}
	stat := info.Sys().(*syscall.Stat_t)
	switch {
	case info.IsDir():
		return value{text: aDirectory, inode: stat.Ino}
	case !info.Mode().IsRegular():
		return value{text: info.Mode().Type().String()}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return value{text: err.Error()}
	}
	return value{"a file: " + string(text), stat.Ino, uint64(stat.Nlink), time.Unix(stat.Ctim.Unix())}
}

// did notes what a step did to the links of the account.
func (a *activity) did(r *run, key string, after *sight) {
	for top := range a.claims {
		own, exists := nodeAt(filepath.Join(r.sandbox(key), top))
		shared, there := nodeAt(filepath.Join(r.real, top))
		inTheWay := own.kind == fs.ModeSymlink && shared.kind == fs.ModeDir // of another entry's link
		if there && (!exists || inTheWay) && !after.leadsTo(top) {
			a.gone[top] = true
		}
	}
	a.moved = map[string]string{}
	for name, target := range after.links {
		if name != target && after.links[target] != target && inCodexHome(name) == inCodexHome(target) {
			a.moved[name] = target
		}
	}
	for top := range topNames(r.sandbox(key)) {
		own, _ := nodeAt(filepath.Join(r.sandbox(key), top))
		shared, there := nodeAt(filepath.Join(r.real, top))
		if there && after.links[top] == "" && (own.kind == fs.ModeDir || shared.kind == fs.ModeDir) {
			a.apart[top] = true
		}
	}
}

// leadsTo reports whether a link at the top of the same home leads to the shared entry.
func (s *sight) leadsTo(target string) bool {
	for name, to := range s.links {
		if to == target && inCodexHome(name) == inCodexHome(target) {
			return true
		}
	}
	return false
}
