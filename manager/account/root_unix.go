//go:build unix

package account

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
	"swop/say"
)

// fastRoot reads a plain root.json.
func fastRoot(text string) (r rootJSON, ok bool) {
	p := newJSONReader(text)
	p.object(func(name string) {
		switch name {
		case "schema_version":
			r.SchemaVersion = p.version()
		case "shared_home":
			p.object(func(name string) {
				switch name {
				case "path":
					r.SharedHome.Path = p.string()
				case "device":
					r.SharedHome.Device = p.number()
				case "inode":
					r.SharedHome.Inode = p.number()
				default:
					p.bad = true
				}
			})
		case "former_shared_homes":
			r.Former = p.strings()
		case "config":
			r.Config = p.string()
		default:
			p.bad = true
		}
	})
	return r, p.ended() && r.SchemaVersion == schemaVersion
}

// Root is root.json: what is fixed when the root is made.
type Root struct {
	SharedHome SharedHome
	Former     []string // where the shared home was before it was moved, without slashes at the end
	Config     string   // where selector.toml and config.toml lay, for a session whose environment was filtered

	unknown map[string]json.RawMessage
}

// SharedHome is the codex home whose state all accounts share.
type SharedHome struct {
	Path   string `json:"path"`
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

type rootJSON struct {
	SchemaVersion int        `json:"schema_version"`
	SharedHome    SharedHome `json:"shared_home"`
	Former        []string   `json:"former_shared_homes,omitempty"`
	Config        string     `json:"config"`
}

var rootFields = []string{"schema_version", "shared_home", "former_shared_homes", "config"}

func ParseRoot(text []byte) (Root, error) {
	if r, ok := fastRoot(string(text)); ok {
		return r.root()
	}
	var r rootJSON
	if err := parseSchema(text, &r, rootFields, func() int { return r.SchemaVersion }); err != nil {
		return Root{}, err
	}
	out, err := r.root()
	if err == nil {
		out.unknown, err = unknownFields(text, rootFields)
	}
	return out, err
}

// root checks what was read.
func (r rootJSON) root() (Root, error) {
	r.SharedHome.Path, r.Config = textPath(r.SharedHome.Path), textPath(r.Config)
	for i, path := range r.Former {
		r.Former[i] = textPath(path)
	}
	if !filepath.IsAbs(r.SharedHome.Path) {
		return Root{}, fmt.Errorf("shared_home.path %.200q is not an absolute path", r.SharedHome.Path)
	}
	return Root{SharedHome: r.SharedHome, Former: r.Former, Config: r.Config}, nil
}

func (r Root) Text() ([]byte, error) {
	home := r.SharedHome
	home.Path = pathText(home.Path)
	var former []string
	for _, path := range r.Former {
		former = append(former, pathText(path))
	}
	return withUnknown(rootJSON{schemaVersion, home, former, pathText(r.Config)}, r.unknown)
}

// ReadRoot reads the root.json of the root directory dir. The error wraps fs.ErrNotExist where there is none.
func ReadRoot(dir string) (Root, error) {
	file := filepath.Join(dir, "root.json")
	text, err := ReadPrivate(file)
	if err != nil {
		return Root{}, err
	}
	r, err := ParseRoot(text)
	if err != nil {
		return Root{}, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// Check refuses a shared home that is not the one recorded: missing, or with neither its device nor its inode (an unmounted disk
// shows the empty directory below it). One of the two may change: device numbers do with a restart, inodes with a restored backup.
func (r Root) Check() error {
	var st unix.Stat_t
	if err := unix.Stat(r.SharedHome.Path, &st); err != nil {
		return r.lost(fmt.Sprintf("the shared home %q cannot be read: %v", r.SharedHome.Path, err))
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return r.lost(fmt.Sprintf("the shared home %q is not a directory", r.SharedHome.Path))
	}
	if uint64(st.Dev) != r.SharedHome.Device && st.Ino != r.SharedHome.Inode {
		return r.lost(fmt.Sprintf("the shared home %q is not the directory that the accounts share: it lies on another device", r.SharedHome.Path))
	}
	return nil
}

func (r Root) lost(text string) error {
	err := say.WithHint(disk.Unsafe("%s", text), "mount the disk it is on, or if it moved: codex swop sync --shared-home DIR")
	return err
}
