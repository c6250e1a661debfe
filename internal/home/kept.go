package home

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"swop/internal/account"
	"swop/internal/disk"
)

// KeptDir is the directory in swop's root of the entries that lost their names: a directory for each version, called by the time and the
// account, with the version at its path below HOME, or below .codex if it is of the codex home. ls shows all of it.
const KeptDir = "kept"

// keptCodex is where an entry of the codex home is in the directory of a version, wherever that home is. HOME's own .codex is never shared.
const keptCodex = ".codex"

// ownEnd ends the name of a version's directory, after the account's key, where the entry is of the account's codex home alone.
const ownEnd = ".own"

// keptTime is the first part of the name of a version's directory, as Windows allows it.
const keptTime = "2006-01-02T150405.000000000Z"

// KeptID returns the name of the directory of a version of this moment.
func KeptID(at time.Time, key string) string { return at.UTC().Format(keptTime) + "-" + key }

// inKept calls f with the place for a version's entry, below a new directory of kept/, which goes if f leaves nothing in it.
func inKept(root, below, key string, f func(files disk.Dir) error) error {
	top := filepath.Join(root, KeptDir)
	err := disk.Ignore(disk.MakeDir(top), fs.ErrExist)
	clock, err2 := disk.FileClock()
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	dir := ""
	for now := time.Unix(clock.Unix()); dir == "" || errors.Is(err, fs.ErrExist); now = now.Add(1) { // until the clock's next tick
		dir = filepath.Join(top, KeptID(now, key))
		err = disk.MakeDir(dir)
	}
	place := filepath.Join(dir, below)
	if err == nil && below != "" {
		err = disk.MakeDir(place)
	}
	files, err2 := disk.OpenBelow(root, place)
	if err = cmp.Or(err, err2); err == nil {
		err = f(files)
	}
	_, _ = files.Close(), os.Remove(place) // fails where there are entries
	if place != dir {
		_ = os.Remove(dir)
	}
	return err
}

// Keep puts a text into kept/ as a version of the entry called name in an account's own codex home: killed anywhere, it is kept complete or
// not at all.
func Keep(l account.Layout, key, name, text string) error {
	return inKept(l.Root, keptCodex, key+ownEnd, func(files disk.Dir) error {
		return disk.WriteFile(filepath.Join(files.Path, name), []byte(text))
	})
}
