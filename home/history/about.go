package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"swop/account"
	"swop/disk"
	"swop/disk/sys"
	"swop/home/rules"
)

// About describes a version.
type About struct {
	View    string    // [CodexView] or [HomeView]
	Path    string    // of the entry, below that home
	Account string    // the key of the account whose session it was, or met the shared version
	Time    time.Time // when another version came in its place
	Why     Why
}

// Why says in whose place another version came.
type Why string

const (
	Replaced Why = "replaced" // the shared version, as the session knew it: the session replaced it
	Changed  Why = "changed"  // the shared version, which had changed too: the session's was later
	Older    Why = "older"    // the session's version: the shared one had changed too, and was later
	Apart    Why = "apart"    // the session's directory or database: there was a shared one, and the two cannot be one
	Removed  Why = "removed"  // a file with a name in both homes, of which a program removed the other name
	Restored Why = "restored" // the shared version: the user restored another
	Confined Why = "confined" // a confined session's version, of what sessions outside obey
)

// The views, each the entries of one shared home.
const (
	CodexView = rules.CodexView
	HomeView  = rules.HomeView
)

// The names in the directory of a version.
const (
	AboutFile = "about.json"
	FilesDir  = "files" // holds the version under the last part of its path, with the files that belong to it, such as a database's log
)

// RootDir is the directory of all versions, in swop's root.
const RootDir = "kept"

const schemaVersion = 1

// document is the form of About on disk. Paths are quoted as Go does: they need not be UTF-8.
type document struct {
	SchemaVersion int       `json:"schema_version"`
	View          string    `json:"view"`
	Path          string    `json:"path"`
	Account       string    `json:"account"`
	Time          time.Time `json:"time"`
	Why           Why       `json:"why"`
}

// WriteAbout writes the description into d, the directory of a version that is new. It is not synced: if it is lost, the version is still
// there under its name.
func WriteAbout(d disk.Dir, a About) error {
	text, err := a.text()
	if err != nil {
		return err
	}
	return d.WriteNew(AboutFile, text)
}

// NewVersion makes the directory of a version, called name in d, with its description and a directory for its files.
func NewVersion(d disk.Dir, name string, a About) (version, files disk.Dir, err error) {
	if err := d.Mkdir(name); err != nil {
		return version, files, err
	}
	if version, err = d.OpenDir(name); err != nil {
		return version, files, err
	}
	if err = errors.Join(WriteAbout(version, a), version.Mkdir(FilesDir)); err == nil {
		files, err = version.OpenDir(FilesDir)
	}
	if err != nil {
		return version, files, errors.Join(err, version.Close())
	}
	return version, files, nil
}

func (a About) text() ([]byte, error) {
	return json.Marshal(document{schemaVersion, a.View, strconv.Quote(a.Path), a.Account, a.Time.UTC(), a.Why})
}

// ReadAbout returns the description in d, the directory of a version.
func ReadAbout(d disk.Dir) (About, error) {
	text, err := disk.ReadOwn(d.Path+"/"+AboutFile, account.MaxJSON)
	if err != nil {
		return About{}, err
	}
	var j document
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return About{}, fmt.Errorf("%s/%s: %w", d.Path, AboutFile, err)
	}
	path, err := strconv.Unquote(j.Path)
	a := About{j.View, path, j.Account, j.Time, j.Why}
	if err != nil || j.SchemaVersion != schemaVersion || !a.valid() {
		return About{}, fmt.Errorf("%s/%s: %w", d.Path, AboutFile, errors.Join(err, sys.EINVAL))
	}
	return a, nil
}

// valid reports whether the entry can be one of a shared home.
func (a About) valid() bool {
	return (a.View == CodexView || a.View == HomeView) && a.Path != "." && filepath.IsLocal(a.Path) && filepath.Clean(a.Path) == a.Path &&
		!strings.Contains(a.Path, "\x00")
}
