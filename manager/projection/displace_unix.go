//go:build unix

package projection

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
	"swop/manager/store"
	"swop/say"
)

// keepShared gives the shared version, which is about to be replaced, a second name under displaced/.
func (p *projection) keepShared(name string, there disk.Stat) error {
	to, kept, err := p.displacedPlace(name)
	if err != nil {
		return err
	}
	defer to.Close()
	err = p.shared.Link(name, to, kept)
	if errors.Is(err, unix.EXDEV) || cannotLink(err) {
		err = disk.CopyWhole(p.shared, name, there, to, kept)
	}
	if err != nil {
		return p.shared.Err("link", name, disk.Changed(err))
	}
	p.sayDisplaced(name, to, kept)
	return nil
}

// displace moves a version that lost to another one to displaced/.
func (p *projection) displace(from disk.Dir, entry, name string) error {
	to, kept, err := p.displacedPlace(name)
	if err != nil {
		return err
	}
	defer to.Close()
	err = from.Move(entry, to, kept)
	if errors.Is(err, unix.EXDEV) {
		err = disk.MoveByCopy(from, entry, to, kept)
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return from.Err("rename", entry, err)
	}
	p.sayDisplaced(name, to, kept)
	return nil
}

func (p *projection) sayDisplaced(name string, to disk.Dir, kept string) {
	p.say(fmt.Sprintf("two versions of %q: the other one is kept as %s", name, say.Name(to.Path+"/"+kept)))
}

// displacedPlace returns the open directory under displaced/ for this reconcile and view, and a free name in it for a version of name.
func (p *projection) displacedPlace(name string) (disk.Dir, string, error) {
	if name == "" {
		name = "unnamed"
	}
	to, err := p.openDisplaced()
	if err != nil {
		return to, "", err
	}
	free := name
	for n := 2; ; n++ {
		there, err := to.Stat(free)
		if err != nil {
			return to, "", errors.Join(err, to.Close())
		}
		if !there.Exists() {
			return to, free, nil
		}
		end := fmt.Sprintf(".%d", n)
		free = name[:min(len(name), disk.NameMax-len(end))] + end
	}
}

// openDisplaced opens the directory under displaced/ for this reconcile and view, and makes it if it is missing. It tries again where
// another process pruned a directory on the way for being empty.
func (p *projection) openDisplaced() (d disk.Dir, err error) {
	if p.displaced == "" {
		dropLeftCopies(store.Store{Layout: p.Layout}, p.Account.Key)
	}
	for range disk.Rounds {
		if d, err = p.makeDisplaced(); !errors.Is(err, unix.ENOENT) {
			break
		}
	}
	return d, err
}

// makeDisplaced makes and opens that directory. It follows no link on the way from the root.
func (p *projection) makeDisplaced() (disk.Dir, error) {
	d, err := disk.Open(p.Layout.Root, disk.NoFollow)
	if err != nil {
		return d, err
	}
	if d, err = d.MakeAndOpen("displaced"); err != nil {
		return d, err
	}
	if d, err = d.MakeAndOpen(p.Account.Key); err != nil {
		return d, err
	}
	if p.displaced == "" {
		if p.displaced, err = mkdirForTime(d, p.next.at); err != nil {
			return disk.Dir{}, errors.Join(err, d.Close())
		}
	}
	if d, err = d.MakeAndOpen(p.displaced); err != nil {
		return d, err
	}
	return d.MakeAndOpen(p.view)
}

// mkdirForTime makes a directory of its own for one reconcile, named for the time at, and returns the name. A database and its log,
// displaced together, keep their names in it.
func mkdirForTime(d disk.Dir, at unix.Timespec) (string, error) {
	first := time.Unix(int64(at.Sec), 0).UTC().Format(displacedTime)
	name := first
	for n := 2; ; n++ {
		err := unix.Mkdirat(d.Fd(), name, 0o700)
		if err == nil {
			return name, d.Err("mkdir", name, d.OwnDir(name))
		}
		if !errors.Is(err, unix.EEXIST) {
			return "", d.Err("mkdir", name, err)
		}
		name = fmt.Sprintf("%s.%d", first, n)
	}
}
