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
	Kept  []string // what was read-only in it
	Git   bool     // the session could write what git obeys, as the user wants it
}

// Left is what a session left that runs programs outside.
type Left struct {
	Path  string
	Aside string // how it is called now
}

// PutAside renames what the session left in root that git or codex would run programs for: a configuration of codex's, and what git obeys unless
// that is ordinary, or unchanged. It reports false where root has too many directories to look at them all.
func (s Session) PutAside(root string) (left []Left, all bool, err error) {
	found := Find(root, mostLeft)
	paths := found.Codex
	if !s.Git {
		names := search{root: root}
		names.user()
		for _, git := range s.Kept {
			names.configured(git) // which may name what was not there
		}
		paths = slices.Concat(found.Codex, names.Git, found.Repositories)
	}
	for _, path := range paths {
		if s.kept(path) || !s.runs(path, root) {
			continue
		}
		if Is(path) && filepath.Base(path) != ".git" {
			path = filepath.Join(path, "HEAD") // without which it is no repository
		}
		aside, renameErr := putAside(path)
		if err = errors.Join(err, renameErr); aside != "" {
			left = append(left, Left{path, aside})
		}
	}
	return left, found.All, err
}

func (s Session) kept(path string) bool {
	return slices.ContainsFunc(s.Kept, func(dir string) bool { return config.Within(path, dir) })
}

// runs reports whether what the session did at path lets git or codex run a program.
func (s Session) runs(path, root string) bool {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return false
	}
	isNew, dir := isSince(st, s.Began), st.Mode&unix.S_IFMT == unix.S_IFDIR
	switch git := filepath.Base(path) == ".git"; {
	case dir && (git || Is(path)):
		return s.anyChanged(unusualWhole(path), isNew)
	case dir:
		return s.anyChanged(inside(path), isNew)
	case git:
		to := leadsTo(path)
		return !s.kept(to) && (isNew && !config.Within(to, root) || s.anyChanged(unusualWhole(to), isNew))
	}
	return isNew
}

func inside(dir string) (list []string) {
	for _, name := range namesIn(dir) {
		list = append(list, filepath.Join(dir, name))
	}
	return list
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

// anyChanged reports whether one of these was changed, or something in it. In a directory that was changed itself, all count.
func (s Session) anyChanged(paths []string, all bool) bool {
	for _, path := range paths {
		for range Changed(path, s.Began) {
			return true
		}
	}
	return all && len(paths) > 0
}

// putAside renames path, through no link, and returns its new name.
func putAside(path string) (string, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	dir, err := unix.Openat2(unix.AT_FDCWD, filepath.Dir(path), &how)
	if err != nil {
		return "", nil // another program moves it
	}
	defer unix.Close(dir)
	name := filepath.Base(path)
	aside, err := RenameAside(dir, name)
	if err != nil {
		err = &os.LinkError{Op: "rename", Old: path, New: name + ".unchecked-1", Err: err}
	}
	return aside, err
}

// RenameAside renames what is called name in an open directory, and returns its new name; "" if nothing is there.
func RenameAside(dir int, name string) (aside string, err error) {
	const most, counted = 1000, 100
	for n := 1; n < most; n++ {
		aside = fmt.Sprintf("%s.unchecked-%d", name, n)
		if n > counted { // somebody has made all of these names
			aside = name + ".unchecked-" + rand.Text()
		}
		err = unix.Renameat2(dir, name, dir, aside, unix.RENAME_NOREPLACE)
		if disk.NoSuchRename(err) && unix.Fstatat(dir, aside, &unix.Stat_t{}, unix.AT_SYMLINK_NOFOLLOW) != nil { // as on NFS
			err = unix.Renameat(dir, name, dir, aside)
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", disk.Ignore(err, fs.ErrNotExist)
	}
	return aside, nil
}
