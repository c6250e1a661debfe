package account

import (
	"fmt"
	"path/filepath"
)

// RootFile is the name of root.json in swop's root.
const RootFile = "root.json"

// Root is root.json, which is written when the root is made.
type Root struct {
	document
	SharedHome
	Former []string `json:"former_shared_homes,omitempty"` // earlier paths of the shared home, without slashes at the end
	Config string   `json:"config,omitzero"`               // the directory of selector.toml when the root was made
}

// SharedHome is the codex home whose state all accounts share.
type SharedHome struct {
	Path   string `json:"shared_home"`
	Device uint64 `json:"shared_home_device"`
	Inode  uint64 `json:"shared_home_inode"`
}

// Text returns r as it is written to root.json.
func (r *Root) Text() []byte {
	text, _ := documentText(r) // it has no time
	return text
}

// Parse reads the text of a root.json into r, which is the zero value. An unknown schema version, and a shared home that is not absolute,
// are errors; r is undefined then.
func (r *Root) Parse(text string) (err error) {
	if err = parseDocument(text, r); err != nil {
		return err
	}
	if !filepath.IsAbs(r.SharedHome.Path) {
		return fmt.Errorf("shared_home %.200q is not an absolute path", r.SharedHome.Path)
	}
	return nil
}
