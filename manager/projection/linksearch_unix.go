//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"maps"
	"slices"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
)

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
