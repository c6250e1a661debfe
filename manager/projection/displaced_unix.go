//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"swop/manager/disk"
	"swop/manager/stamp"
	"swop/manager/store"
)

// Displaced is a version of an entry that was kept when it met another version.
type Displaced struct {
	Path    string    // where it is now
	Key     string    // the account in whose sandbox it met the shared one
	Time    time.Time // of the reconcile
	View    string    // "codex" for an entry of the codex home, "home" for one of HOME
	Name    string    // what it is a version of, with a number if there are several
	Size    int64     // in bytes, for a directory with all below it
	Regular bool      // whether it is a regular file
}

// displacedTime is the format of the directories' names.
const displacedTime = "20060102T150405Z"

// ListDisplaced returns the displaced versions, by account and time.
func ListDisplaced(s store.Store) ([]Displaced, error) {
	paths, err := displacedPaths(s, "*")
	if err != nil {
		return nil, err
	}
	var list []Displaced
	for _, path := range paths {
		if disk.IsCopy(filepath.Base(path)) {
			continue
		}
		d, err := displacedAt(s, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return list, err
		}
		list = append(list, d)
	}
	return list, nil
}

// displacedPaths returns the paths of the displaced versions of the accounts whose keys match the pattern keys.
func displacedPaths(s store.Store, keys string) ([]string, error) {
	return filepath.Glob(filepath.Join(stamp.Escape(s.Path("displaced")), keys, "*", "*", "*"))
}

// dropLeftCopies removes the unfinished copies that killed runs left in the account's directory under displaced/. The originals are still
// in place. A copy that cannot be removed now stays until the next time.
func dropLeftCopies(s store.Store, key string) {
	paths, _ := displacedPaths(s, stamp.Escape(key))
	for _, path := range paths {
		if disk.IsCopy(filepath.Base(path)) {
			_ = Prune(s, Displaced{Path: path})
		}
	}
}

func displacedAt(s store.Store, path string) (Displaced, error) {
	dir := filepath.Dir(path)
	d := Displaced{Path: path, Name: filepath.Base(path), View: filepath.Base(dir), Key: filepath.Base(filepath.Dir(filepath.Dir(dir)))}
	when, _, _ := strings.Cut(filepath.Base(filepath.Dir(dir)), ".") // a number follows if there are several in one second
	at, err := time.Parse(displacedTime, when)
	if err != nil {
		return d, fs.ErrNotExist // not made by us
	}
	d.Time = at
	info, err := os.Lstat(path)
	if err != nil {
		return d, err
	}
	d.Regular = info.Mode().IsRegular()
	err = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			d.Size += info.Size()
		}
		return nil
	})
	return d, err
}

// Prune removes a displaced version and the directories that are empty then.
func Prune(s store.Store, d Displaced) error {
	to, err := disk.OpenBelow(s.Root, filepath.Dir(d.Path))
	if err != nil {
		return err
	}
	defer to.Close()
	if err := disk.RemoveAll(to, filepath.Base(d.Path)); err != nil {
		return err
	}
	for dir := filepath.Dir(d.Path); dir != s.Path("displaced"); dir = filepath.Dir(dir) {
		if rmdirBelow(s, dir) != nil {
			break // it still holds other versions
		}
	}
	return nil
}

// rmdirBelow removes an empty directory below the root. It follows no link on the way.
func rmdirBelow(s store.Store, dir string) error {
	above, err := disk.OpenBelow(s.Root, filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer above.Close()
	return above.Rmdir(filepath.Base(dir))
}
