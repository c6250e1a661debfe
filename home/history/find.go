//go:build unix

package history

import (
	"path/filepath"
	"strings"

	"swop/account"
	"swop/disk"
)

// Finder finds versions by paths.
type Finder struct {
	homes    Homes // resolved
	accounts string
}

// NewFinder returns what finds the versions of entries of these homes.
func NewFinder(l account.Layout, h Homes) Finder {
	return Finder{Homes{disk.Resolve(h.Codex), disk.Resolve(h.Home)}, disk.Resolve(l.AccountsDir())}
}

// Locate returns where the entry at path is, outside of any session: a sandbox shows the shared homes. A relative path begins at dir; "~" is
// the real home, and [Unknown] stands for itself. Links on the way are followed, one at the end is not.
func (f Finder) Locate(dir, path string) string {
	if path == Unknown {
		return path
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		path = f.homes.Home + rest
	}
	if !filepath.IsAbs(path) {
		path = dir + "/" + path
	}
	path = disk.WithoutSlash(path)
	above, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return f.shared(disk.Resolve(path))
	}
	return f.shared(filepath.Join(disk.Resolve(above+"."), name))
}

// shared returns the path in a shared home that path, without links, stands for: another one if it lies in a sandbox's home.
func (f Finder) shared(path string) string {
	below, ok := strings.CutPrefix(path, f.accounts+"/")
	if !ok {
		return path
	}
	parts := strings.SplitN(below, "/", 4)
	switch {
	case len(parts) < 2 || parts[1] != "home":
		return path
	case len(parts) > 2 && parts[2] == ".codex":
		return filepath.Join(append([]string{f.homes.Codex}, parts[3:]...)...)
	}
	return filepath.Join(append([]string{f.homes.Home}, parts[2:]...)...)
}

// Place returns where the entry of the version is, as [Finder.Locate] returns it.
func (f Finder) Place(v Version) string { return f.homes.Place(v.About) }

// Dir is the directory with the version's files.
func (v Version) Dir(l account.Layout) string { return filepath.Join(l.Path(RootDir), v.ID, FilesDir) }
