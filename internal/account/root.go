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

// rootFields are the fields of root.json, in the order in which they are written.
var rootFields = []Field[Root]{
	{Name: "shared_home", Value: func(r *Root) Value { return &r.SharedHome }},
	{Name: "former_shared_homes", Value: func(r *Root) Value { return (*Paths)(&r.Former) }},
	{Name: "config", Value: func(r *Root) Value { return (*Path)(&r.Config) }},
}

// sharedHomeFields are the fields of the object shared_home.
var sharedHomeFields = []Field[SharedHome]{
	{Name: "path", Value: func(h *SharedHome) Value { return (*Path)(&h.Path) }},
	{Name: "device", Value: func(h *SharedHome) Value { return (*Number)(&h.Device) }},
	{Name: "inode", Value: func(h *SharedHome) Value { return (*Number)(&h.Inode) }},
}

func (h *SharedHome) read(r *reader) {
	readObject(r, h, sharedHomeFields, func(string) { r.bad = true })
}

func (h *SharedHome) appendTo(b []byte) []byte {
	return append(appendFields(append(b, '{'), h, sharedHomeFields), '}')
}

// Text returns r as it is written to root.json.
func (r *Root) Text() []byte { return documentText(r, rootFields, r.Unknown) }

// Parse reads the text of a root.json into r, which is the zero value. An unknown schema version, and a shared home that is not absolute,
// are errors; r is undefined then.
func (r *Root) Parse(text string) (err error) {
	if r.Unknown, err = parseDocument(text, r, rootFields); err != nil {
		return err
	}
	if !filepath.IsAbs(r.SharedHome.Path) {
		return fmt.Errorf("shared_home.path %q is not an absolute path", clip(r.SharedHome.Path))
	}
	return nil
}
