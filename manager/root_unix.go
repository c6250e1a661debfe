//go:build unix

package manager

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"swop/config"
)

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

func parseRoot(text []byte) (Root, error) {
	if r, ok := readPlainRoot(string(text)); ok {
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

func (r Root) text() ([]byte, error) {
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
	text, err := readPrivate(file)
	if err != nil {
		return Root{}, err
	}
	r, err := parseRoot(text)
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
	err := config.WithHint(unsafe("%s", text), "mount the disk it is on, or if it moved: codex swop sync --shared-home DIR")
	return err
}

// makeRoot makes the root and its directories, and root.json with the shared home, unless they are there. sharedHome is the path
// of the codex home in force; it is made if it is missing. What is refused is refused before anything is made.
func (s Store) makeRoot(sharedHome string) (Root, error) {
	r, err := ReadRoot(s.Root)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return r, err
	}
	if fresh {
		if err := s.checkHomes(sharedHome); err != nil {
			return r, err
		}
	}
	if err := s.MakeDirs(); err != nil {
		return r, err
	}
	if fresh {
		return s.recordRoot(sharedHome)
	}
	return r, nil
}

// MakeDirs makes the root and its directories, those that are missing.
func (s Store) MakeDirs() error {
	if err := os.MkdirAll(filepath.Dir(s.Root), 0o700); err != nil {
		return err
	}
	for _, dir := range []string{s.Root, s.accounts(), s.sub("locks"), s.sub("pending"), s.sub("displaced"), s.sub("trash")} {
		if err := s.makeDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// checkHomes refuses homes that a root cannot be made for.
func (s Store) checkHomes(sharedHome string) error {
	info, err := os.Stat(s.Home)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", s.Home)
	}
	if err != nil {
		return config.WithHint(fmt.Errorf("the home directory cannot be used: %w", err), `export HOME="/path/to/your/home"`)
	}
	info, err = os.Stat(sharedHome)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if info, err = os.Stat(filepath.Dir(sharedHome)); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("the codex home %s is not a directory", sharedHome)
	}
	return s.checkApart(sharedHome)
}

func (s Store) sub(name string) string { return filepath.Join(s.Root, name) }

func (s Store) recordRoot(sharedHome string) (Root, error) {
	err := os.Mkdir(sharedHome, 0o700)
	if err == nil {
		err = os.Chmod(sharedHome, 0o700) // whatever the umask
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return Root{}, err
	}
	var st unix.Stat_t
	if err := unix.Stat(sharedHome, &st); err != nil {
		return Root{}, &fs.PathError{Op: "stat", Path: sharedHome, Err: err}
	}
	r := Root{SharedHome: SharedHome{sharedHome, uint64(st.Dev), st.Ino}, Config: s.Config}
	if err := r.Check(); err != nil {
		return Root{}, err
	}
	text, err := r.text()
	if err != nil {
		return Root{}, err
	}
	if err := createFile(filepath.Join(s.Root, "root.json"), text); err != nil && !errors.Is(err, fs.ErrExist) {
		return Root{}, err
	}
	for _, dir := range []string{s.Root, sharedHome} { // what is in a directory is lost with it
		if err := config.SyncDir(filepath.Dir(dir)); err != nil {
			return Root{}, err
		}
	}
	return ReadRoot(s.Root)
}

// checkApart refuses a root and a shared home of which one contains the other: a projection would contain itself. Neither need exist.
func (s Store) checkApart(sharedHome string) error {
	root, shared := resolve(s.Root), resolve(sharedHome)
	if config.Within(root, shared) || config.Within(shared, root) {
		return config.WithHint(unsafe("swop's root %s and the shared home %s contain one another", s.Root, sharedHome), "set SWOP_ROOT to a directory apart from CODEX_HOME")
	}
	return nil
}

// resolve returns path with its links resolved as far as it exists.
func resolve(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolve(dir), filepath.Base(path))
}

// createFile makes file with data, 0600, whole or not at all; the error wraps fs.ErrExist where there is one.
func createFile(file string, data []byte) error {
	tmp, err := config.CreateTemp(file)
	if err != nil {
		return err
	}
	err = tmp.Chmod(0o600) // whatever the umask
	if err == nil {
		_, err = tmp.Write(data)
	}
	if err == nil {
		err = tmp.Sync()
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Link(tmp.Name(), file)
	}
	if err := errors.Join(err, os.Remove(tmp.Name())); err != nil {
		return err
	}
	return config.SyncDir(filepath.Dir(file))
}
