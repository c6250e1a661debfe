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

	Unknown Unknown // of a newer program
}

// SharedHome is the codex home whose state all accounts share.
type SharedHome struct {
	Path   string
	Device uint64
	Inode  uint64
}

func (r *Root) fields(former *[]path) []field {
	return []field{
		{"shared_home", (*path)(&r.SharedHome.Path), false},
		{"shared_home_device", &r.SharedHome.Device, false},
		{"shared_home_inode", &r.SharedHome.Inode, false},
		{"former_shared_homes", former, len(*former) == 0},
		{"config", (*path)(&r.Config), r.Config == ""},
	}
}

// Text returns r as it is written to root.json.
func (r *Root) Text() []byte {
	var former []path
	for _, dir := range r.Former {
		former = append(former, path(dir))
	}
	return documentText(r.fields(&former), r.Unknown)
}

// Parse reads the text of a root.json into r, which is the zero value. An unknown schema version, and a shared home that is not absolute,
// are errors; r is undefined then.
func (r *Root) Parse(text string) (err error) {
	var former []path
	if r.Unknown, err = parseDocument(text, r.fields(&former)); err != nil {
		return err
	}
	for _, dir := range former {
		r.Former = append(r.Former, string(dir))
	}
	if !filepath.IsAbs(r.SharedHome.Path) {
		return fmt.Errorf("shared_home %q is not an absolute path", clip(r.SharedHome.Path))
	}
	return nil
}
