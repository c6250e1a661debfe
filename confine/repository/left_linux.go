package repository

import (
	"errors"
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
	Roots []string // what it could write
	Kept  []string // what was read-only in it, or hidden, where links lead, and those links by [Link]
	Had   []string // what was unusual in a repository that it was given
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
	s.Roots = append(slices.Clip(s.Roots), root)
	l := inspection{Session: s, root: root, unusual: map[string][]string{}, all: true}
	found := l.next(root)
	l.repositories(found)
	for i := 0; i < len(l.left); i++ { // by its new name it is still one, and there may be others in it
		l.repositories(l.next(l.left[i].Aside))
	}
	if len(l.left) > 0 {
		found = l.next(root) // what was put aside names nothing any more
	}
	l.named(found)
	for _, closed := range slices.Backward(l.opened) {
		chmod(closed.path, closed.perm)
	}
	return l.left, l.all, errors.Join(l.failed...)
}

// inspection is a look at what a session left.
type inspection struct {
	Session
	root    string
	unusual map[string][]string // by the repository
	opened  []closed
	left    []Left
	all     bool
	failed  []error
}

// closed is a directory that was opened to look into it.
type closed struct {
	path string
	perm uint32
}

// next searches a directory, which lies in the root.
func (l *inspection) next(dir string) Found {
	search := Search{Root: dir, Most: mostLeft, Roots: l.Roots, User: l.User, ready: l.ready}
	search.skips = func(file string) bool { return l.written(file) && l.isNew(file) && !l.kept(file) } // it is put aside itself if it names something
	found := search.Find()
	l.all = l.all && found.All
	return found
}

// ready makes a directory one that can be looked at. What the session hides a later one could show, for which it is old.
func (l *inspection) ready(dir string) string {
	if len(dir) > mostPath && len(l.root) < mostPath/2 && l.changed(dir, l.root) {
		if to := l.moveUp(dir); to != "" {
			l.left = append(l.left, Left{Path: dir, Aside: to, Deep: true})
			dir = to
		}
	}
	const needed = 0o500
	if unix.Access(dir, unix.R_OK|unix.X_OK) != nil && l.isNew(dir) {
		perm := disk.At(dir).Perm()
		chmod(dir, perm|needed) // that of another user is not the session's
		l.opened = append(l.opened, closed{dir, perm})
	}
	return dir
}

// repositories puts aside repositories, and configurations of codex's.
func (l *inspection) repositories(found Found) {
	for _, path := range found.Codex {
		if l.runs(path, path, disk.Resolve(path), entries) {
			l.putAside(path)
		}
	}
	for _, path := range found.Repositories {
		to := leadsTo(path)
		if l.Git || !l.runs(path, to, disk.Resolve(to), l.unusualOf) {
			continue
		}
		if filepath.Base(path) != ".git" && Is(path) {
			path = filepath.Join(path, "HEAD") // without which it is no repository
		}
		l.putAside(path)
	}
}

// unusualOf is [Unusual], asked once, with what the repository has that dir is a linked work tree of.
func (l *inspection) unusualOf(dir string) []string {
	list, ok := l.unusual[dir]
	if !ok {
		list = Unusual(dir)
		if of := whole(dir); of != dir {
			list = append(slices.Clip(list), l.unusualOf(of)...)
		}
		l.unusual[dir] = list
	}
	return list
}

// named puts aside what the session changed of what git's configuration names: links on the way there, and what is there.
func (l *inspection) named(found Found) {
	if l.Git {
		return
	}
	for _, named := range found.Named {
		way := slices.DeleteFunc(disk.Links(named.Path), func(link string) bool { return !l.written(link) || !l.appeared(link) })
		if len(way) > 0 {
			l.putAside(way[0])
			continue
		}
		to, from := disk.Resolve(named.Path), named.Tree
		for !config.Within(to, from) {
			from = filepath.Dir(from)
		}
		if !l.written(from) {
			from = l.rootOf(to)
		}
		isNew := l.arrived(filepath.Join(named.Tree, ".git"))
		for _, path := range entries(to) {
			if l.written(path) && (isNew || l.changed(path, from)) {
				l.putAside(path)
			}
		}
	}
}

// putAside renames a path, unless it is, or contains, what the session could not change.
func (l *inspection) putAside(path string) {
	if l.kept(path) || slices.ContainsFunc(l.Kept, func(kept string) bool { return config.Within(kept, path) }) {
		return
	}
	dir, err := disk.OpenPlace(filepath.Dir(path))
	if err != nil {
		return // another program moves it
	}
	defer unix.Close(dir)
	aside, err := RenameAside(dir, filepath.Base(path))
	if err != nil {
		l.failed = append(l.failed, &os.LinkError{Op: "rename", Old: path, New: filepath.Base(path) + ".unchecked-1", Err: err})
	}
	if aside != "" {
		l.left = append(l.left, Left{Path: path, Aside: filepath.Join(filepath.Dir(path), aside)})
	}
}

// runs reports whether what the session did at a path, or where that leads if it is a link or a file, which spells that, lets git or codex run a program;
// content returns what that obeys in a directory.
func (l *inspection) runs(path, spelled, to string, content func(dir string) []string) bool {
	isNew, isCodex := l.arrived(path), filepath.Base(path) == ".codex"
	if disk.At(path).IsDir() {
		to = path
	} else {
		isNew = isNew || slices.ContainsFunc(disk.Links(spelled), l.appeared)
		switch {
		case isCodex && isNew && Link(path) != "": // a session that can write less may have what it leads to under another name
			return true
		case l.kept(to):
			return false
		case !l.written(to):
			return isNew || l.known(path) // that leads elsewhere now
		}
	}
	from, list := whole(to), content(to)
	isNew = isNew || l.arrived(to)
	switch {
	case to != path && isCodex:
		from = l.rootOf(to) // it may have been elsewhere, where it was nothing; a repository is one anywhere
	case !isCodex && filepath.Base(to) != ".git": // it is one by what it has
		isNew = isNew || slices.ContainsFunc([]string{"HEAD", "commondir", "refs", "objects"}, func(name string) bool { return l.arrived(filepath.Join(to, name)) })
	}
	list = slices.DeleteFunc(slices.Clone(list), func(path string) bool { return slices.Contains(l.Had, path) && !l.changed(path, path) })
	return len(list) > 0 && (isNew || slices.ContainsFunc(list, func(path string) bool { return l.changed(path, from) }))
}

// written reports whether the session could write a path, by its name.
func (s Session) written(path string) bool { return s.rootOf(path) != "" }

// rootOf returns which of the directories that the session could write a path lies in, "" for none.
func (s Session) rootOf(path string) string {
	for _, root := range s.Roots {
		if config.Within(path, root) {
			return root
		}
	}
	return ""
}

func (s Session) kept(path string) bool {
	return slices.ContainsFunc(s.Kept, func(dir string) bool { return config.Within(path, dir) })
}

// appeared reports whether a path is new that was not there before.
func (s Session) appeared(path string) bool { return s.isNew(path) && !s.kept(path) && !s.known(path) }

// arrived reports whether a path is new by its name. What is done in a directory changes the time of that, but only what is done to it those of both it and the
// one above.
func (s Session) arrived(path string) bool {
	return s.appeared(path) && (!disk.At(path).IsDir() || s.isNew(filepath.Dir(path)))
}

// known reports whether a path is a link that was there before.
func (s Session) known(path string) bool {
	link := Link(path)
	return link != "" && slices.Contains(s.Kept, link)
}

// Link says of a link where it is and what it says, for [Session].
func Link(path string) string {
	text, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return path + " -> " + text
}

// changed reports whether path was changed, or something in it, or a directory that it lies in below another one: that may have been moved there.
func (s Session) changed(path, from string) bool {
	for range Changed(path, s.Began) {
		return true
	}
	for at := filepath.Dir(path); at != from && config.Within(at, from); at = filepath.Dir(at) {
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
