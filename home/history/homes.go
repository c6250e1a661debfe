//go:build unix

package history

import (
	"path/filepath"
	"strings"

	"swop/account"
	"swop/disk"
	"swop/say"
)

// Homes are the shared homes that versions are of.
type Homes struct {
	Codex, Home string
}

// HomesOf returns the shared homes of this root.
func HomesOf(l account.Layout, root account.Root) Homes {
	return Homes{Codex: root.SharedHome.Path, Home: l.Home}
}

// Of returns the home of the view.
func (h Homes) Of(view string) string {
	if view == CodexView {
		return h.Codex
	}
	return h.Home
}

// Place returns where the entry is, [Unknown] if that is not known.
func (h Homes) Place(a About) string {
	if a.Path == Unknown {
		return Unknown
	}
	return disk.WithoutSlash(h.Of(a.View)) + "/" + a.Path
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
