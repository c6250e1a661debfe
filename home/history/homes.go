package history

import (
	"os"
	"path/filepath"
	"strings"

	"swop/account"
	"swop/disk"
	"swop/say"
)

// Homes are the shared homes that versions are of, without links on the way.
type Homes struct {
	Codex, Home string
	accounts    string // the directory of the sandboxes, which show them
}

// HomesOf returns the shared homes of this root.
func HomesOf(l account.Layout, root account.Root) Homes {
	return Homes{disk.Resolve(root.SharedHome.Path), disk.Resolve(l.Home), disk.Resolve(l.AccountsDir())}
}

// Of returns the home of the view.
func (h Homes) Of(view string) string {
	if view == CodexView {
		return h.Codex
	}
	return h.Home
}

// Locate returns where the entry at path is, outside of any session: a sandbox shows the shared homes. A relative path begins at dir; "~" is
// the real home, and [Unknown] stands for itself. Links on the way are followed, one at the end is not.
func (h Homes) Locate(dir, path string) string {
	if path == Unknown {
		return path
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		path = h.Home + rest
	}
	if !filepath.IsAbs(path) {
		path = dir + "/" + path
	}
	path = disk.WithoutSlash(path)
	above, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return h.shared(disk.Resolve(path))
	}
	return h.shared(filepath.Join(disk.Resolve(above+"."), name))
}

// shared returns the path in a shared home that path, without links, stands for: another one if it lies in a sandbox's home.
func (h Homes) shared(path string) string {
	below, ok := strings.CutPrefix(path, h.accounts+string(filepath.Separator))
	if !ok {
		return path
	}
	parts := strings.SplitN(below, string(filepath.Separator), 4)
	switch {
	case len(parts) < 2 || parts[1] != "home":
		return path
	case len(parts) > 2 && parts[2] == ".codex":
		return filepath.Join(append([]string{h.Codex}, parts[3:]...)...)
	}
	return filepath.Join(append([]string{h.Home}, parts[2:]...)...)
}

// Place returns where the entry is, [Unknown] if that is not known.
func (h Homes) Place(a About) string {
	if a.Path == Unknown {
		return Unknown
	}
	return disk.WithoutSlash(h.Of(a.View)) + string(filepath.Separator) + a.Path
}

// open opens the directory that the entry is in, and returns the entry's name there. Directories that are missing are made. No link is
// followed on the way from the home.
func (h Homes) open(a About) (disk.Dir, string, error) {
	above, name := filepath.Split(a.Path)
	d, err := disk.Open(h.Of(a.View), disk.Follow)
	for _, part := range strings.FieldsFunc(above, func(r rune) bool { return r == '/' }) {
		if err != nil {
			break
		}
		d, err = d.MakeAndOpen(part)
	}
	return d, name, say.WithHint(err, "copy it to another place with --to FILE")
}
