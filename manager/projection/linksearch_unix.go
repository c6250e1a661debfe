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

// maxSearched bounds the directories that are read in search of one link: a start waits for it.
const maxSearched = 1000

// linkSearch looks for a link of ours that a program may have moved anywhere into the account's homes. What is on another file system is
// passed over, for no rename leads there, and so is what may not be read.
type linkSearch struct {
	was   linkMark
	dev   uint64
	since *baseline
	seen  map[uint64]bool // directories, by inode
	// The paths of those that are still to be read; first comes what changed since the last look, as a directory does that a link is moved
	// into, then what lies least deep.
	changed, others []string
}

// linkExists reports whether our link that was at name is still somewhere: a program moved it there, and with it, as it must believe, what
// it stands for. In homes of very many directories it may not be found.
func (p *projection) linkExists(name string) (bool, error) {
	own, err := p.sandbox.Stat(".")
	if err != nil {
		return false, err
	}
	s := linkSearch{was: p.lastLink(name), dev: own.Dev, since: p.last, seen: map[uint64]bool{}}
	if root, err := disk.Lstat(p.Layout.Root); err == nil {
		s.seen[root.Ino] = true // of what lies there, but for this account's, nothing is in its sight
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

func (s *linkSearch) next() (dir string) {
	switch {
	case len(s.changed) > 0:
		dir, s.changed = s.changed[0], s.changed[1:]
	case len(s.others) > 0:
		dir, s.others = s.others[0], s.others[1:]
	}
	return dir
}

// readAt passes over a directory that may not be read, or that is removed meanwhile.
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
	for _, name := range slices.Sorted(maps.Keys(entries)) { // as in [projection.lookOnce]
		if s.was.is(d, name, entries[name]) {
			return true, nil
		}
		if entries[name].Mode.IsDir() {
			s.add(d, name)
		}
	}
	return false, nil
}

// add puts a directory among those to be read. One that cannot even be looked at is passed over: mounts are so whose server is gone.
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
