package home

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/home/rules"
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
	_, _, _ = files.Close(), os.Remove(place), os.Remove(dir) // fails where there are entries
	return err
}

// Keep puts a text into kept/ as a version of the entry called name in an account's own codex home: killed anywhere, it is kept complete or
// not at all.
func Keep(l account.Layout, key, name, text string) error {
	return inKept(l.Root, keptCodex, key+ownEnd, func(files disk.Dir) error {
		return disk.WriteFile(filepath.Join(files.Path, name), []byte(text))
	})
}

// Version is a version that is kept.
type Version struct {
	ID      string    `json:"-"`       // the name of its directory in kept/
	Place   string    `json:"path"`    // where its entry is, outside of any session
	Account string    `json:"account"` // the key of the account whose session it was, or met the shared version
	Time    time.Time `json:"time"`
	Size    int64     `json:"size"`  // in bytes, of a directory with all below it
	Dir     string    `json:"kept"`  // the directory of its files
	Files   []string  `json:"files"` // their names: the entry's own first, then those that belong to it, such as a database's log
}

// List returns the versions, the newest first.
func List(l account.Layout, root account.Root) ([]Version, error) {
	list, err := all(l, root)
	return slices.DeleteFunc(list, func(v Version) bool { return len(v.Files) == 0 }), err
}

// all returns the versions, the newest first, also those without files, as a killed run leaves them. What is not ours in kept/ is left out.
func all(l account.Layout, root account.Root) (list []Version, err error) {
	dirs, err := os.ReadDir(l.Path(KeptDir))
	if err != nil {
		return nil, disk.Ignore(err, fs.ErrNotExist)
	}
	for _, d := range slices.Backward(dirs) {
		date, key, _ := strings.Cut(d.Name(), "Z-") // see [KeptID]
		if at, err := time.Parse(keptTime, date+"Z"); err == nil && key != "" && d.IsDir() {
			v := Version{ID: d.Name(), Time: at, Account: key}
			if err := v.read(l, root); err != nil {
				return nil, err
			}
			list = append(list, v)
		}
	}
	return list, nil
}

// read sets what the directory of a version says. It has one entry, before those that belong to it, or one called .codex with that.
func (v *Version) read(l account.Layout, root account.Root) error {
	key, own := strings.CutSuffix(v.Account, ownEnd)
	a := account.Account{Dir: l.AccountDir(key)}
	v.Dir, v.Account = filepath.Join(l.Path(KeptDir), v.ID), key
	home, sandbox := l.Home, a.Home()
	if codex := filepath.Join(v.Dir, keptCodex); disk.At(codex).IsDir() {
		v.Dir, home, sandbox = codex, root.SharedHome.Path, a.CodexHome()
	}
	if own {
		home = sandbox
	}
	entries, err := os.ReadDir(v.Dir)
	for _, e := range entries {
		if !isStaged(v.Dir, e.Name(), home, sandbox) {
			v.Files = append(v.Files, e.Name())
		}
	}
	if len(v.Files) > 0 {
		v.Place = filepath.Join(home, v.Files[0])
		v.measure()
	}
	return disk.Ignore(err, fs.ErrNotExist)
}

// isStaged reports whether a killed run left this where a version would have been: a link of ours, or a second name of a file that is still
// at its place, outside or in the sandbox.
func isStaged(dir, name, home, own string) bool {
	i, place := disk.At(filepath.Join(dir, name)), filepath.Join(home, name)
	target, _ := os.Readlink(filepath.Join(dir, name))
	return disk.IsTemp(name) || target == place || i.Same(disk.At(place)) || i.Same(disk.At(filepath.Join(own, name)))
}

// measure adds up the sizes of the version's files. What cannot be read counts nothing.
func (v *Version) measure() {
	for _, name := range v.Files {
		_ = filepath.WalkDir(filepath.Join(v.Dir, name), func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				if info, err := entry.Info(); err == nil {
					v.Size += info.Size()
				}
			}
			return nil
		})
	}
}

// The limits of what is kept. A version that is younger than a day is kept in any case.
const (
	day      = 24 * time.Hour
	maxAge   = 30 * day
	perEntry = 50      // versions of one entry
	maxBytes = 2 << 30 // of all versions
)

// excess returns the versions in list, which has the newest first, that are beyond the limits. A version with a time to come is a new one:
// the clock was set back. One that alone is larger than all may be makes no other go, nor does one of an account's codex home alone, which
// a session can have made so large, any but of these.
func excess(list []Version, now time.Time) (gone []Version) {
	var used int64
	isOwn := func(v Version) int { return when(strings.HasSuffix(v.ID, ownEnd), 1) }
	slices.SortStableFunc(list, func(a, b Version) int { return isOwn(a) - isOwn(b) })
	number := map[string]int{}
	for _, v := range list {
		number[v.Place]++
		switch age := now.Sub(v.Time); {
		case age >= day && (len(v.Files) == 0 || age > maxAge || number[v.Place] > perEntry || used+v.Size > maxBytes):
			gone = append(gone, v)
		case v.Size <= maxBytes:
			used += v.Size
		}
	}
	return gone
}

// prunedFile, beside the locks, names the versions that the last run of Prune found beyond the limits. Its time is that of the run.
const prunedFile = ".history"

// Prune moves to trash/ the versions beyond the limits that an earlier run had found beyond them a day before by this clock: a clock that
// was wrong for a while costs nothing. It looks once a day. The error names the versions that cannot be moved.
func Prune(l account.Layout, root account.Root, now time.Time) error {
	file := l.LockFile(prunedFile)
	info, err := os.Lstat(file)
	if err == nil && now.Sub(info.ModTime()) >= 0 && now.Sub(info.ModTime()) < day {
		return nil
	}
	before := ""
	if err == nil && now.After(info.ModTime()) {
		before, _ = disk.ReadOwn(file, rules.MaxNames) // without it nothing was found
	}
	list, err := all(l, root)
	if err != nil {
		return err
	}
	var ids strings.Builder
	for _, v := range excess(list, now) {
		if ids.WriteString(v.ID + "\n"); strings.Contains(before, v.ID+"\n") {
			failed := os.Rename(l.Path(KeptDir+"/"+v.ID), l.Path("trash/kept-"+v.ID)) // it is in kept/ complete, or not at all
			err = errors.Join(err, disk.Ignore(failed, fs.ErrNotExist))
		}
	}
	if os.WriteFile(file, []byte(ids.String()), 0o600) == nil {
		_ = os.Chtimes(file, now, now) // else the next run looks again
	}
	return err
}
