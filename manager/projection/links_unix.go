//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
	"swop/manager/stamp"
)

// addLink links an entry that the sandbox lacks, unless the shared one is gone by now.
func (p *projection) addLink(name string) error {
	if p.class(name) != stamp.LinkAhead {
		if there, err := p.linkedEntry(name); err != nil || !there.Exists() {
			return err
		}
	}
	if err := p.sandbox.Symlink(p.target(name), name); err != nil {
		return err
	}
	return p.noteLink(name)
}

// noteLink notes our link at name, so that the next scan recognizes it after a program renamed it. A link that a program renamed to name
// meanwhile is not noted: the program did not see what the shared home has under this name.
func (p *projection) noteLink(name string) error {
	i, err := p.sandbox.Stat(name)
	if err == nil && p.isOwnLink(name, i) {
		p.now.link(name, markLink(i.Ino, p.target(name)))
	}
	return err
}

// isRenamed reports whether i, the sandbox's entry, is a link of ours that a program renamed to name. Such a link stands for the shared
// entry of its old name.
func (p *projection) isRenamed(entry string, i disk.Stat, name string) (bool, error) {
	if !i.IsLink() {
		return false, nil
	}
	target, err := p.sandbox.Readlink(entry)
	return p.wasLinkElsewhere(target, i, name), err
}

// wasLinkElsewhere reports whether i, a link to target, was our link at another name than this.
func (p *projection) wasLinkElsewhere(target string, i disk.Stat, name string) bool {
	dir, base := splitPath(target)
	mark := markLink(i.Ino, target)
	if !p.ours(dir) || base == name || !p.was.wasLink(base, mark) && !p.now.wasLink(base, mark) {
		return false
	}
	first, err := p.sandbox.Stat(base)
	return err != nil || !first.Same(i) // while the first name stands, the other is a hard link, and nothing was renamed
}

// linkRenamed reports whether our link that was at name is still in the sandbox, under another name. Then a program did not replace it but
// renamed it a moment ago, and it stands for the shared entry: the next scan finds it.
func (p *projection) linkRenamed(name string) (bool, error) {
	was := p.lastLink(name)
	entries, err := p.sandbox.Entries()
	for other, entry := range entries {
		if other != name && was.is(p.sandbox, other, entry) {
			p.now.link(name, was)
			return true, err
		}
	}
	return false, err
}

// linkMark identifies a link of ours, wherever a program moves it. The inode alone does not: a file system gives it to the next link when
// this one is gone.
type linkMark struct {
	Ino, Target uint64 // Target is the sum of where it leads
}

func markLink(ino uint64, target string) linkMark { return linkMark{ino, disk.Sum(target)} }

// lastLink returns the mark of the link of ours that the last scan saw at name.
func (p *projection) lastLink(name string) linkMark { return p.was.Links[strconv.Quote(name)] }

// is reports whether the entry called name in d is the link.
func (m linkMark) is(d disk.Dir, name string, entry disk.Entry) bool {
	if entry.Ino != m.Ino || entry.Mode&fs.ModeSymlink == 0 {
		return false
	}
	target, err := d.Readlink(name)
	return err == nil && markLink(entry.Ino, target) == m
}

// repairLink removes or replaces a link of ours that is not as it should be. What is not our link any more is left to the next scan.
func (p *projection) repairLink(f finding) error {
	name := f.name
	target, err := p.sandbox.Readlink(name)
	if err != nil || target == "" {
		return err
	}
	i, err := p.sandbox.Stat(name)
	if err != nil {
		return err
	}
	if dir, _ := splitPath(target); !p.ours(dir) && !p.was.wasLink(name, markLink(i.Ino, target)) {
		return nil
	}
	if p.wasLinkElsewhere(target, i, name) && p.detached[name] != markLink(i.Ino, target) {
		return nil // renamed there since the scan: the next one finds what it stands for
	}
	if err := p.undoPairedLink(name, i); err != nil {
		return err
	}
	there, err := p.linkedEntry(name)
	if err != nil {
		return err
	}
	switch class := p.class(name); {
	case !class.Linked(), !there.Exists() && class != stamp.LinkAhead:
		return p.dropLink(name, target)
	case target == p.target(name):
		return p.noteLink(name)
	}
	return p.replaceLink(name, target)
}

// replaceLink replaces a link of ours to target by the one that belongs there. If a program put an entry there meanwhile, that is folded.
func (p *projection) replaceLink(name, target string) error {
	tmp, err := p.swapInLink(name)
	if err != nil || tmp == "" {
		return disk.Ignore(err, disk.ErrChanged)
	}
	if was, err := p.sandbox.Readlink(tmp); err != nil || was == target {
		return errors.Join(err, p.sandbox.Unlink(tmp))
	}
	got, err := p.sandbox.Stat(tmp)
	if err != nil {
		return err
	}
	return p.foldSwappedOut(tmp, got, name)
}

// dropLink removes a link of ours to target. It moves the link to a name that no program knows, and looks at it there: so a program that
// replaces the link, or renames another one to its name, loses nothing.
func (p *projection) dropLink(name, target string) error {
	tmp := disk.TempName(name)
	if err := p.sandbox.Move(name, p.sandbox, tmp); err != nil {
		return p.sandbox.Err("rename", name, disk.Ignore(err, unix.ENOENT))
	}
	if was, err := p.sandbox.Readlink(tmp); err != nil || was == target {
		return errors.Join(err, p.sandbox.Unlink(tmp))
	}
	return p.giveBack(tmp, name)
}

// splitPath cuts a path before its last component, without cleaning it. The directory has no slash at its end.
func splitPath(path string) (dir, base string) {
	at := strings.LastIndexByte(path, '/')
	if at < 0 {
		return "", path
	}
	return disk.WithoutSlash(path[:at+1]), path[at+1:]
}

// maxSearched bounds the directories that are read in the search for one link: a start waits for it.
const maxSearched = 1000

// linkSearch looks for a link of ours that a program may have moved anywhere in the account's homes. It skips what is on another file
// system, where no rename leads, and what may not be read.
type linkSearch struct {
	was   linkMark
	dev   uint64
	since *baseline
	seen  map[uint64]bool // directories, by inode
	// The paths of directories still to be read. Those that changed since the last scan come first, as a directory does that a link is moved
	// into; then those that are least deep.
	changed, others []string
}

// linkExists reports whether our link that was at name still exists somewhere. Then a program moved it, and meant to move the file that it
// stands for. In homes with very many directories it may not be found.
func (p *projection) linkExists(name string) (bool, error) {
	own, err := p.sandbox.Stat(".")
	if err != nil {
		return false, err
	}
	s := linkSearch{was: p.lastLink(name), dev: own.Dev, since: p.last, seen: map[uint64]bool{}}
	if root, err := disk.Lstat(p.Layout.Root); err == nil {
		s.seen[root.Ino] = true // the account sees nothing of it but its own sandbox
	}
	for _, top := range []disk.Dir{p.sandbox, p.shared} {
		if found, err := s.read(top); err != nil || found {
			return found, err
		}
	}
	if found, err := s.readAt(p.Account.Home(), disk.NoFollow); err != nil || found {
		return found, err
	}
	if found, err := s.readAt(p.Layout.Home, disk.Follow); err != nil || found {
		return found, err
	}
	return s.below()
}

// below searches the directories that were found in those already read.
func (s *linkSearch) below() (found bool, err error) {
	for range maxSearched {
		dir := s.next()
		if dir == "" {
			break
		}
		if found, err := s.readAt(dir, disk.NoFollow); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// next returns the directory to read next, "" if there is no more.
func (s *linkSearch) next() (dir string) {
	switch {
	case len(s.changed) > 0:
		dir, s.changed = s.changed[0], s.changed[1:]
	case len(s.others) > 0:
		dir, s.others = s.others[0], s.others[1:]
	}
	return dir
}

// readAt searches the directory at a path. It skips one that may not be read or was removed meanwhile.
func (s *linkSearch) readAt(dir string, follow disk.LinkPolicy) (found bool, err error) {
	d, err := disk.Open(dir, follow)
	if err == nil {
		found, err = s.read(d)
		err = errors.Join(err, d.Close())
	}
	return found, disk.Ignore(err, fs.ErrPermission, fs.ErrNotExist, unix.ENOTDIR, unix.ELOOP)
}

func (s *linkSearch) read(d disk.Dir) (found bool, err error) {
	entries, err := d.Entries()
	if err != nil {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) { // as in [projection.scanOnce]
		if s.was.is(d, name, entries[name]) {
			return true, nil
		}
		if entries[name].Mode.IsDir() {
			s.add(d, name)
		}
	}
	return false, nil
}

// add notes a directory that is still to be read. It skips one whose state cannot be read, such as a mount whose server is gone.
func (s *linkSearch) add(d disk.Dir, name string) {
	i, err := d.Stat(name)
	if err != nil || !i.IsDir() || i.Dev != s.dev || s.seen[i.Ino] {
		return
	}
	s.seen[i.Ino] = true
	path := d.Path + "/" + name
	switch {
	case !s.since.before(i):
		s.changed = append(s.changed, path)
	case len(s.others) < maxSearched:
		s.others = append(s.others, path)
	}
}
