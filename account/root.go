package account

import (
	"fmt"
	"path/filepath"
)

// RootFile is the name of root.json in swop's root.
const RootFile = "root.json"

// Root is root.json: what is fixed when the root is made.
type Root struct {
	SharedHome SharedHome
	Former     []string // where the shared home was before it was moved, without slashes at the end
	Config     string   // where selector.toml and config.toml lay, for a session whose environment was filtered

	Unknown []Member // of a newer program
}

// SharedHome is the codex home whose state all accounts share. It is a [Value], too.
type SharedHome struct {
	Path   string
	Device uint64
	Inode  uint64
}

// RootFields are the fields of root.json, in the order in which they are written.
var RootFields = []Field[Root]{
	{Name: "shared_home", Value: func(r *Root) Value { return &r.SharedHome }},
	{Name: "former_shared_homes", Value: func(r *Root) Value { return (*Paths)(&r.Former) }, OmitEmpty: true},
	{Name: "config", Value: func(r *Root) Value { return (*Path)(&r.Config) }},
}

// SharedHomeFields are the fields of the object shared_home.
var SharedHomeFields = []Field[SharedHome]{
	{Name: "path", Value: func(h *SharedHome) Value { return (*Path)(&h.Path) }},
	{Name: "device", Value: func(h *SharedHome) Value { return (*Number)(&h.Device) }},
	{Name: "inode", Value: func(h *SharedHome) Value { return (*Number)(&h.Inode) }},
}

func (h *SharedHome) read(r *reader) {
	r.expect('{')
	readFields(r, h, SharedHomeFields)
}

// FastParse reads the text of a root.json as this program writes it. It reports false for any other text and for every error, which
// the ParseRoot of package store tells; r is undefined then.
func (r *Root) FastParse(text string) bool {
	return readDocument(text, r, RootFields) && r.CheckText() == nil
}

// CheckText returns what is wrong with what was read, whatever the disk has.
func (r *Root) CheckText() error {
	if !filepath.IsAbs(r.SharedHome.Path) {
		return fmt.Errorf("shared_home.path %q is not an absolute path", clip(r.SharedHome.Path))
	}
	return nil
}
