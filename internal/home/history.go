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

// Version is a version that is kept.
type Version struct {
	ID      string // the name of its directory in kept/
	Time    time.Time
	Account string   // the key of the account whose session it was, or met the shared version
	Place   string   // where its entry is, outside of any session
	Dir     string   // the directory of its files
	Files   []string // their names: the entry's own first, then those that belong to it, such as a database's log
	Number  int      // among the versions of this entry, 1 for the newest
	Size    int64    // in bytes, of a directory with all below it
}

// List returns the versions, the newest first. What is not ours in kept/ is left out.
func List(l account.Layout, root account.Root) ([]Version, error) {
	dirs, err := os.ReadDir(l.Path(KeptDir))
	if err != nil {
		return nil, disk.Ignore(err, fs.ErrNotExist)
	}
	var list []Version
	for _, d := range slices.Backward(dirs) {
		if at, key, ours := parseKept(d.Name()); ours && d.IsDir() {
			found, err := read(l, root, Version{ID: d.Name(), Time: at, Account: key})
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
	}
	last := map[string]int{}
	for i, v := range list {
		last[v.Place]++
		list[i].Number = last[v.Place]
	}
	return list, nil
}

// read returns the versions in the directory of v, mostly one.
func read(l account.Layout, root account.Root, v Version) (list []Version, err error) {
	v.Dir = filepath.Join(l.Path(KeptDir), v.ID)
	key, own := strings.CutSuffix(v.Account, ownEnd)
	a, codex := account.Account{Dir: l.AccountDir(key)}, filepath.Join(v.Dir, keptCodex)
	homes := map[string]string{v.Dir: l.Home, codex: root.SharedHome.Path}
	owns := map[string]string{v.Dir: a.Home(), codex: a.CodexHome()}
	if own {
		v.Account, homes[codex] = key, a.CodexHome()
	}
	for _, dir := range []string{v.Dir, filepath.Join(v.Dir, keptCodex)} {
		if !disk.At(dir).IsDir() {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		var names []string
		for _, e := range entries {
			if (dir != v.Dir || e.Name() != keptCodex) && !isStaged(dir, e.Name(), homes[dir], owns[dir]) {
				names = append(names, e.Name())
			}
		}
		for _, name := range names {
			base, companion := disk.DatabaseName(name)
			if companion && slices.Contains(names, base) {
				continue
			}
			w := v
			w.Dir, w.Place, w.Files = dir, filepath.Join(homes[dir], name), []string{name}
			for _, other := range disk.DatabaseNames(name)[1:] {
				if slices.Contains(names, other) {
					w.Files = append(w.Files, other)
				}
			}
			w.measure()
			list = append(list, w)
		}
	}
	return list, nil
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
			if err != nil || entry.IsDir() {
				return nil
			}
			if info, err := entry.Info(); err == nil {
				v.Size += info.Size()
			}
			return nil
		})
	}
}

// Limits bound what is kept.
type Limits struct {
	Age      time.Duration // older versions are removed
	PerEntry int           // how many versions of one entry are kept
	Bytes    int64         // what all versions may occupy
	Young    time.Duration // younger versions are kept, whatever the other limits say
}

// StandardLimits are those by which the verbs of codex swop prune.
func StandardLimits() Limits {
	const day = 24 * time.Hour
	return Limits{Age: 30 * day, PerEntry: 50, Bytes: 2 << 30, Young: day}
}

// excess returns the versions in list, which has the newest first, that are beyond the limits. A version with a time to come is a new one:
// the clock was set back. One that alone is larger than all may be makes no other go.
func (x Limits) excess(list []Version, now time.Time) (gone []Version) {
	var used int64
	for _, v := range list {
		switch age := now.Sub(v.Time); {
		case age >= x.Young && (age > x.Age || v.Number > x.PerEntry || used+v.Size > x.Bytes):
			gone = append(gone, v)
		case v.Size <= x.Bytes:
			used += v.Size
		}
	}
	return gone
}

// Prune moves the versions beyond the limits to trash/, and returns them. What cannot be removed is left, and named in the error.
func Prune(l account.Layout, root account.Root, now time.Time, limits Limits) (gone []Version, err error) {
	list, err := List(l, root)
	if err != nil {
		return nil, err
	}
	over := seenBefore(l, limits.excess(list, now), now, limits.Young)
	if len(over) == 0 {
		return nil, nil
	}
	kept, err := disk.MakeBelow(l.Root, KeptDir)
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	trash, err := disk.MakeBelow(l.Root, "trash")
	if err != nil {
		return nil, err
	}
	defer trash.Close()
	var left []error
	for _, v := range over {
		err := kept.Move(v.ID, trash, "kept-"+v.ID) // it is in kept/ complete, or not at all
		if err != nil {
			err = disk.RemoveAll(kept, v.ID) // it is gone, or kept/ is a mount of its own
		}
		if err == nil {
			gone = append(gone, v)
		}
		left = append(left, err)
	}
	return gone, errors.Join(left...)
}

// excessFile names, beside the locks, what was beyond the limits when it was written, by the time of the file.
const excessFile = ".excess"

// seenBefore returns those of the versions in over that an earlier run has found there, a day before by this clock: one that was wrong for
// a moment costs nothing. It notes what the next run may remove.
func seenBefore(l account.Layout, over []Version, now time.Time, day time.Duration) (gone []Version) {
	file := l.LockFile(excessFile)
	info, err := os.Lstat(file)
	if err == nil && now.Sub(info.ModTime()) >= 0 && now.Sub(info.ModTime()) < day {
		return nil
	}
	var ids strings.Builder
	text, _ := disk.ReadOwn(file, rules.MaxNames) // without it nothing was seen
	for _, v := range over {
		if err == nil && now.After(info.ModTime()) && strings.Contains(text, v.ID+"\n") {
			gone = append(gone, v)
		}
		ids.WriteString(v.ID + "\n")
	}
	if len(over) > 0 && os.WriteFile(file, []byte(ids.String()), 0o600) == nil {
		_ = os.Chtimes(file, now, now) // else the next run notes them
	}
	return gone
}

// Locate returns where the entry at path is, outside of any session: a sandbox shows the shared homes. A relative path begins at dir, "~"
// is the real home. Links on the way are followed, one at the end is not.
func Locate(l account.Layout, root account.Root, dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		path = l.Home + rest
	}
	if !filepath.IsAbs(path) {
		path = dir + string(filepath.Separator) + path
	}
	path = disk.WithoutSlash(path)
	above, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		path = disk.Resolve(path)
	} else {
		path = filepath.Join(disk.Resolve(above+"."), name)
	}
	homes := [][2]string{{disk.Resolve(root.SharedHome.Path), root.SharedHome.Path}, {disk.Resolve(l.Home), l.Home}}
	if below, ok := strings.CutPrefix(path, disk.Resolve(l.AccountsDir())+string(filepath.Separator)); ok {
		parts := strings.SplitN(below, string(filepath.Separator), 4)
		switch {
		case len(parts) > 2 && parts[1] == "home" && parts[2] == ".codex":
			return filepath.Join(append([]string{root.SharedHome.Path}, parts[3:]...)...)
		case len(parts) > 1 && parts[1] == "home":
			return filepath.Join(append([]string{l.Home}, parts[2:]...)...)
		}
	}
	for _, h := range homes {
		if rest, ok := strings.CutPrefix(path, h[0]); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			return h[1] + rest
		}
	}
	return cmp.Or(path, dir)
}
