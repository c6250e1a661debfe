package repository

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/disk"
)

// mostLeft bounds the directories that are searched when a session has ended.
const mostLeft = 100_000

// Session is what is known of a session that has ended.
type Session struct {
	Began time.Time
	Kept  []string // what was read-only in it, where links lead, those links by [Link], and what a repository had that it was given
	Git   bool     // the session could write what git obeys, as the user wants it
	User  User
}

// Left is what a session left that runs programs outside, or that could hide it.
type Left struct {
	Path  string
	Aside string // where it is now
	Deep  bool   // it is a directory with a path that was too long
}

// PutAside renames what the session left in root that git or codex would run programs for: a configuration of codex's, and what git obeys unless
// that is ordinary, or unchanged. It reports false where not all of root could be looked at.
func (s Session) PutAside(root string) (left []Left, all bool, err error) {
	search := Search{Root: root, Most: mostLeft, User: s.User}
	search.skips = func(file string) bool { return config.Within(file, root) && s.isNew(file) && !s.kept(file) } // it is put aside itself if it names something
	search.ready = func(dir string) string {
		if len(dir) > mostPath && len(root) < mostPath/2 {
			to, moveErr := moveUp(dir, root)
			if err = errors.Join(err, moveErr); to != "" {
				left = append(left, Left{Path: dir, Aside: to, Deep: true})
				dir = to
			}
		}
		s.openUp(dir)
		return dir
	}
	found := search.Find()
	var runs []string
	for _, path := range found.Codex {
		if s.runs(path, disk.Resolve(path), root, entries) {
			runs = append(runs, path)
		}
	}
	for _, named := range found.Named {
		if !s.Git && s.anyChanged(entries(named.Path), named.From) {
			runs = append(runs, named.Path)
		}
	}
	for _, path := range found.Repositories {
		if !s.Git && s.runs(path, leadsTo(path), root, Unusual) {
			runs = append(runs, path)
		}
	}
	for _, path := range runs {
		if s.kept(path) {
			continue
		}
		if Is(path) && filepath.Base(path) != ".git" {
			path = filepath.Join(path, "HEAD") // without which it is no repository
		}
		aside, renameErr := putAside(path)
		if err = errors.Join(err, renameErr); aside != "" {
			left = append(left, Left{Path: path, Aside: filepath.Join(filepath.Dir(path), aside)})
		}
	}
	return left, found.All, err
}

func (s Session) kept(path string) bool {
	return slices.ContainsFunc(s.Kept, func(dir string) bool { return config.Within(path, dir) })
}

// runs reports whether what the session did at a path, or where that leads if it is a link or a file, lets git or codex run a program; content returns what
// that obeys in a directory.
func (s Session) runs(path, to, root string, content func(dir string) []string) bool {
	if disk.At(path).IsDir() {
		return s.anyChanged(content(path), filepath.Dir(whole(path)))
	}
	link := Link(path)
	known := link != "" && slices.Contains(s.Kept, link)
	isNew := !known && s.isNew(path)
	switch {
	case s.kept(to):
		return false
	case !config.Within(to, root):
		return isNew || known // that leads elsewhere now
	}
	list := content(to)
	return isNew && len(list) > 0 || s.anyChanged(list, filepath.Dir(whole(to)))
}

// Link says of a link where it is and what it says, for [Session].
func Link(path string) string {
	text, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return path + " -> " + text
}

// entries returns what a directory has, or itself where that cannot be told, or a path that is none.
func entries(path string) []string {
	names, err := namesIn(path)
	for i := range names {
		names[i] = filepath.Join(path, names[i])
	}
	if disk.At(path).Exists() && err != nil {
		names = append(names, path)
	}
	return names
}

func (s Session) anyChanged(paths []string, from string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return s.changed(path, from) })
}

// changed reports whether path was changed, or something in it, or a directory that it lies in below another one: that may have been moved there.
func (s Session) changed(path, from string) bool {
	for range Changed(path, s.Began) {
		return true
	}
	for at := filepath.Dir(path); at != from && config.Within(at, from) && !s.kept(path); at = filepath.Dir(at) {
		if s.isNew(at) {
			return true
		}
	}
	return false
}

func (s Session) isNew(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil && isSince(st, s.Began)
}

// openUp lets the user look into a directory that the session may have closed: later ones may open it.
func (s Session) openUp(dir string) {
	if unix.Access(dir, unix.R_OK|unix.X_OK) == nil || !s.isNew(dir) {
		return
	}
	if place, err := openPlace(dir); err == nil {
		_ = unix.Chmod("/proc/self/fd/"+strconv.Itoa(place), uint32(disk.At(dir).Perm()|0o500)) // that of another user is not the session's
		_ = unix.Close(place)                                                                   // nothing was written
	}
}

// openPlace opens a directory, through no link, to do something there.
func openPlace(dir string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	return unix.Openat2(unix.AT_FDCWD, dir, &how)
}

// mostPath is the length of a path in which there is room for what a repository has: those that are longer than [unix.PathMax] cannot be looked at.
const mostPath = unix.PathMax - 512

// moveUp moves a directory with a path that is too long to the top, and returns where it is then.
func moveUp(dir, root string) (to string, err error) {
	from, err := openPlace(filepath.Dir(dir))
	if err != nil {
		return "", nil // another program moves it
	}
	defer unix.Close(from)
	top, err := openPlace(root)
	if err != nil {
		return "", err
	}
	defer unix.Close(top)
	name, err := renameAside(from, filepath.Base(dir), top, "deep")
	if name == "" || err != nil {
		return "", err
	}
	return filepath.Join(root, name), nil
}

// isSince reports whether a file was changed, made or renamed since a time. No program can set when that was.
func isSince(st unix.Stat_t, since time.Time) bool {
	const clock = 10 * time.Millisecond // files have the time of the last tick
	return !time.Unix(st.Ctim.Unix()).Before(since.Add(-clock))
}

// Changed yields what was changed, made or renamed since a time: path, and what is in it. What is gone was not changed.
func Changed(path string, since time.Time) iter.Seq2[string, fs.DirEntry] {
	return func(yield func(string, fs.DirEntry) bool) {
		_ = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
			var st unix.Stat_t
			if err == nil && unix.Lstat(at, &st) == nil && isSince(st, since) && !yield(at, entry) {
				return fs.SkipAll
			}
			return nil
		})
	}
}

// putAside renames path, through no link, and returns its new name.
func putAside(path string) (string, error) {
	dir, err := openPlace(filepath.Dir(path))
	if err != nil {
		return "", nil // another program moves it
	}
	defer unix.Close(dir)
	aside, err := RenameAside(dir, filepath.Base(path))
	if err != nil {
		err = &os.LinkError{Op: "rename", Old: path, New: filepath.Base(path) + ".unchecked-1", Err: err}
	}
	return aside, err
}

// RenameAside renames what is called name in an open directory, and returns its new name; "" if nothing is there.
func RenameAside(dir int, name string) (aside string, err error) {
	return renameAside(dir, name, dir, name)
}

// renameAside also renames what lies in a directory that the session has closed.
func renameAside(from int, name string, to int, base string) (aside string, err error) {
	aside, err = renameNew(from, name, to, base)
	var st unix.Stat_t
	if errors.Is(err, fs.ErrPermission) && unix.Fstat(from, &st) == nil {
		place := "/proc/self/fd/" + strconv.Itoa(from)
		if unix.Chmod(place, st.Mode&0o7777|0o700) == nil {
			aside, err = renameNew(from, name, to, base)
			_ = unix.Chmod(place, st.Mode&0o7777) // its owner may have removed it
		}
	}
	return aside, disk.Ignore(err, fs.ErrNotExist)
}

func renameNew(from int, name string, to int, base string) (aside string, err error) {
	const most, counted = 1000, 100
	for n := 1; n < most; n++ {
		aside = fmt.Sprintf("%s.unchecked-%d", base, n)
		if n > counted { // somebody has made all of these names
			aside = base + ".unchecked-" + rand.Text()
		}
		err = unix.Renameat2(from, name, to, aside, unix.RENAME_NOREPLACE)
		if disk.NoSuchRename(err) && unix.Fstatat(to, aside, &unix.Stat_t{}, unix.AT_SYMLINK_NOFOLLOW) != nil { // as on NFS
			err = unix.Renameat(from, name, to, aside)
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", err
	}
	return aside, nil
}
