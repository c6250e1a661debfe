package oracle

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// afterStep checks that the step left in the session what it left in the plain home. A difference has to be one of the documented ones.
func (r *run) afterStep(e event, before *sight) {
	after := r.look(e.key)
	r.accounts[e.key].did(r, e.key, after)
	for _, path := range slices.Sorted(maps.Keys(after.paths)) {
		seen, plain := after.seen[path].text, after.plain[path].text
		if seen == plain || r.differsAbove(path) != "" || r.throughLink(path) || r.madeOutside(e.key, path) {
			continue
		}
		reason := r.reason(e, path, before, after)
		if reason == "" {
			r.defect("the session sees in %q %q, and plain sh %q", path, seen, plain)
		}
		r.differs[path] = reason
	}
	if r.touchesDifference(e) {
		for _, name := range e.step.names {
			if n, _ := nodeAt(filepath.Join(r.plain, name)); n.kind == fs.ModeSymlink {
				r.differs[name] = "a link that was made of another file"
			}
		}
	}
	if to := e.step.names; e.step.kind == "cp -a over another" {
		if n, _ := nodeAt(filepath.Join(r.plain, to[1])); n.kind == fs.ModeSymlink {
			r.differs[to[1]] = linkOverLink
		}
	}
	if to := e.step.names; e.step.kind == "ln -sr" {
		r.resolved[to[1]] = true
		if before.links[to[0]] != "" && before.links[to[0]] != to[0] {
			r.differs[to[1]] = "ln -sr leads to what a link leads to, which has another name yet"
		}
	}
	r.unlost(true)
}

// madeOutside reports whether the real home has got an entry that the sandbox has not, and at path what plain sh has: what a program makes
// through a link that leads nowhere is made in the real home, and linked by the next start.
func (r *run) madeOutside(key, path string) bool {
	_, own := nodeAt(filepath.Join(r.sandbox(key), topOf(path)))
	return !own && !r.shared[topOf(path)] && valueAt(filepath.Join(r.real, path)).text == valueAt(filepath.Join(r.plain, path)).text
}

// takenForCopy reports whether the real home has a file where the plain one has a link to an equal file.
func (r *run) takenForCopy(path string) bool {
	plain, _ := nodeAt(filepath.Join(r.plain, path))
	real, there := nodeAt(filepath.Join(r.real, path))
	return there && real.kind == 0 && plain.kind == fs.ModeSymlink && valueAt(filepath.Join(r.plain, path)).text == "a file: "+real.text
}

// throughLink reports whether the path leads through a symbolic link in the plain home. In a session a link may lead to the shared entry, and
// so to its new version later than in the plain home: where it leads is compared in the end.
func (r *run) throughLink(path string) bool {
	for ; path != "."; path = filepath.Dir(path) {
		if _, err := os.Readlink(filepath.Join(r.plain, path)); err == nil {
			return true
		}
	}
	return false
}

// reason returns the documented reason for which a step left another thing in a session than in the plain home, "" for none.
func (r *run) reason(e event, path string, before, after *sight) string {
	for _, rule := range []struct {
		reason string
		holds  func() bool
	}{
		{"what codex makes through a link is one before it exists", func() bool { return before.linkAhead(e.step.names) }},
		{"an archive holds links", func() bool { return strings.HasSuffix(path, ".tar") }},
		{"a directory is a link", func() bool { return slices.Contains(likeFiles, e.step.kind) && before.linkedDirectory(e.step.names) }},
		{linkOverLink, func() bool { return e.step.kind == "cp -a over another" && r.writesThrough(e.step.names[1], path) }},
		{linkAcross, func() bool { return r.leadsAcross(path) }},
		{"a link that was copied or moved into a directory", func() bool { return after.belowLink(path) }},
		{"it was another file before", func() bool { return r.touchesDifference(e) }},
		{"written in place through the copy of a link", func() bool { return before.aliased(path) || after.aliased(path) }},
		{fifoStays, func() bool { return isFIFO(after.plain[path]) }},
		{noHardLink, func() bool { return before.plain[path].names > 1 || after.plain[path].names > 1 }},
	} {
		if rule.holds() {
			return rule.reason
		}
	}
	return ""
}

// writesThrough reports whether the plain home has a link called name that leads to path: cp writes through it where it copies a file.
func (r *run) writesThrough(name, path string) bool {
	n, _ := nodeAt(filepath.Join(r.plain, name))
	return n.kind == fs.ModeSymlink && (name == path || r.leads(r.plain, name) == "~/"+path)
}

// likeFiles are the steps that treat a directory's link like a file.
var likeFiles = []string{"mv", "mv over another", "swap", "mv into a directory", "cp -a", "cp -a over another", "ln", "cp -al", "rm", "rm, written again", "rsync"}

// linkedDirectory reports whether one of the names is a link to a directory which is one itself in the plain home.
func (s *sight) linkedDirectory(names []string) bool {
	return slices.ContainsFunc(topsOf(names), func(top string) bool {
		return s.plain[top].text == aDirectory && s.links[top] != ""
	})
}

// belowLink reports whether the path is a link to an entry of the real home that is not at the top of the same home, or lies below one.
func (s *sight) belowLink(path string) bool {
	for ; path != "."; path = filepath.Dir(path) {
		if s.elsewhere[path] {
			return true
		}
	}
	return false
}

// linkAhead reports whether one of the names is a link to nothing, and nothing in the plain home.
func (s *sight) linkAhead(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return s.links[name] != "" && s.seen[name].text == "" && s.plain[name].text == ""
	})
}

const removed = "it was removed in a session"

const (
	linkOverLink    = "a link that is copied takes the place of a link"
	copiedDirectory = "the copy of a directory's link leads nowhere once the directory has another name"
	linkAcross      = "a link into the other home stays one"
)

const noHardLink = "no hard link between entries"

const fifoStays = "a FIFO stays where it was made"

func isFIFO(v value) bool { return v.text == fs.ModeNamedPipe.String() }

// touchesDifference reports whether a step touches an entry in which something differs already.
func (r *run) touchesDifference(e event) bool {
	tops := topsOf(e.step.names)
	for path := range r.differs {
		if slices.Contains(tops, topOf(path)) {
			return true
		}
	}
	return false
}

// aliased reports whether a session sees the same file, which is not the same in the plain home, under another path too.
func (s *sight) aliased(path string) bool {
	own := s.seen[path]
	for other, v := range s.seen {
		if other != path && own.inode != 0 && v.inode == own.inode && (s.plain[path].inode == 0 || s.plain[other].inode != s.plain[path].inode) {
			return true
		}
	}
	return false
}

// unmoved checks, after swop did something, that the account sees what it saw before. While its sessions run, every file is the same one.
func (r *run) unmoved(key string, before *sight) {
	a, live := r.accounts[key], r.runs(key)
	after := r.look(key)
	maps.Copy(after.paths, before.paths)
	for _, path := range slices.Sorted(maps.Keys(after.paths)) {
		top := topOf(path)
		was, is := before.seen[path], valueAt(filepath.Join(r.sandbox(key), path))
		if !a.claims[top] || was.text == is.text && (!live || was.inode == is.inode) || r.differsAbove(path) != "" {
			continue
		}
		if (!live || was.text == is.text) && r.throughLink(path) && !before.belowLink(path) {
			continue
		}
		if is.text == was.text && is.inode == valueAt(filepath.Join(r.real, path)).inode && (r.bin == hasty || time.Since(was.changed) > 10*time.Second) {
			continue // an equal file, which is quiet, gives way to the link to the shared one
		}
		if is.text != was.text && is.text == valueAt(filepath.Join(r.plain, path)).text {
			continue // it was in the wrong before
		}
		switch {
		case !live && was.text == "" && a.gone[top]:
			r.differs[path] = removed
		case r.directoryRenamed(top):
			r.differs[path] = copiedDirectory
		case before.belowLink(path), r.leadsAcross(path):
			r.differs[path] = "a link that was moved into a directory, or into the other home"
		case !live && a.apart[top]:
			r.differs[path] = "a directory that replaced its link"
		case (!live || r.bin == hasty) && r.olderIsKept(path, was): // at rest, or quiet for ten seconds
			r.differs[path] = "both versions had changed, and the older one is kept"
		case !live && a.unclear(top):
			r.differs[path] = "links that were moved, and no renaming"
		case was.text == is.text:
			r.defect("%q of %s was replaced while its sessions run", path, key)
		default:
			r.defect("%q of %s was %q before swop did something, and is %q", path, key, was.text, is.text)
		}
	}
}

// olderIsKept reports whether the version that a session saw is kept, and is not newer than the shared one.
func (r *run) olderIsKept(path string, was value) bool {
	shared, err := os.Stat(filepath.Join(r.real, path))
	if err != nil {
		return false
	}
	for _, file := range r.kept() {
		if kept, err := os.Stat(file); err == nil && valueAt(file).text == was.text && !kept.ModTime().After(shared.ModTime()) {
			return true
		}
	}
	return false
}

// unclear reports whether the entry's link was moved, or one was moved to its name, in a way that is no renaming.
func (a *activity) unclear(top string) bool {
	for name, target := range a.moved {
		if (name == top || target == top) && noRenaming(a, name) {
			return true
		}
	}
	return false
}

// unlost checks that what is in the plain home is in the real one, in a sandbox or in history. A step may have lost what differs: then it
// is excused from here on.
func (r *run) unlost(byStep bool) {
	world := r.contentsOf(r.real)
	for text, path := range r.contentsOf(r.plain) {
		if world.has(text) || r.excused.has(text) {
			continue
		}
		name := strings.TrimPrefix(path, r.plain+"/")
		archived := strings.Contains(name, ".tar:") || strings.Contains(name, ".git/")
		if byStep && (archived || r.differsAbove(name) != "" || r.linkedBelow(name) || r.linkedApart(path)) {
			r.excused[text] = name
			continue
		}
		r.defect("lost: %q, which plain sh has in %q", text, name)
	}
}

// linkedApart reports whether a file of the plain home has another name there that is a file of its own in the real home.
func (r *run) linkedApart(path string) bool {
	file, err := os.Stat(path)
	for name, reason := range r.differs {
		other, otherErr := os.Stat(filepath.Join(r.plain, name))
		if reason == noHardLink && err == nil && otherErr == nil && os.SameFile(file, other) {
			return true
		}
	}
	return false
}

// linkedBelow reports whether a path below a directory is a link in the real home or in a sandbox: a link that was copied there.
func (r *run) linkedBelow(path string) bool {
	homes := []string{r.real}
	for _, key := range accounts {
		homes = append(homes, r.sandbox(key))
	}
	return topOf(path) != path && slices.ContainsFunc(homes, func(home string) bool {
		n, _ := nodeAt(filepath.Join(home, path))
		return n.kind == fs.ModeSymlink
	})
}

// safe checks what holds at every moment: no link at the top of the real home leads nowhere because of swop, and no entry has vanished that
// plain sh still has.
func (r *run) safe() {
	now := topNames(r.real)
	for name := range now {
		if r.directoryRenamed(name) {
			r.differBelow(name, copiedDirectory)
		}
		if leadsNowhere(filepath.Join(r.real, name)) && valueAt(filepath.Join(r.plain, name)).text != "" && r.differs[name] == "" &&
			!r.leadsToClaimed(name) && !r.leadsAcross(name) {
			r.defect("%q leads nowhere", name)
		}
	}
	for name := range r.shared {
		if _, err := os.Lstat(filepath.Join(r.plain, name)); err == nil && !now[name] && r.differs[name] == "" {
			r.defect("%q has vanished from the real home", name)
		}
	}
	r.shared = now
}

// differBelow notes the documented difference for an entry of the plain home and all below it.
func (r *run) differBelow(name, reason string) {
	for path := range tree(r.plain) {
		if path == name || strings.HasPrefix(path, name+"/") {
			r.differs[path] = reason
		}
	}
}

// directoryRenamed reports whether the entry is a link to another one that is gone, or is that link itself, while the plain home has a directory
// at name.
func (r *run) directoryRenamed(name string) bool {
	copied, _ := nodeAt(filepath.Join(r.plain, name))
	link, _ := nodeAt(filepath.Join(r.real, name))
	to, ok := strings.CutPrefix(link.text, r.real+"/")
	_, there := nodeAt(filepath.Join(r.plain, to))
	return ok && link.kind == fs.ModeSymlink && copied.kind == fs.ModeDir && (!there || to == name)
}

// leadsToClaimed reports whether a link leads to what a session has touched, which need not be shared yet, or to what differs.
func (r *run) leadsToClaimed(name string) bool {
	target, _ := os.Readlink(filepath.Join(r.real, name)) // a link, as it leads nowhere
	if !filepath.IsAbs(target) {
		target = filepath.Join(r.real, filepath.Dir(name), target)
	}
	to, within := strings.CutPrefix(target, r.real+"/")
	if !within {
		return false
	}
	top := topOf(to)
	return r.differsAbove(to) != "" || slices.ContainsFunc(accounts, func(key string) bool { return r.accounts[key].claims[top] })
}

func leadsNowhere(path string) bool {
	_, link := os.Readlink(path)
	_, err := os.Stat(path)
	return link == nil && err != nil
}
