//go:build unix

package projection

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
	"swop/manager/stamp"
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
	for _, name := range []string{"displaced", p.Account.Key, p.displaced, p.view} {
		if err != nil {
			return d, err
		}
		if name == "" { // the first version that this reconcile displaces
			if name, err = mkdirForTime(d, p.next.at); err != nil {
				return disk.Dir{}, errors.Join(err, d.Close())
			}
			p.displaced = name
		}
		d, err = d.MakeAndOpen(name)
	}
	return d, err
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

// Displaced is a version of an entry that was kept when it met another version.
type Displaced struct {
	Path    string    // where it is now
	Key     string    // the account in whose sandbox it met the shared one
	Time    time.Time // of the reconcile
	View    string    // "codex" for an entry of the codex home, "home" for one of HOME
	Name    string    // what it is a version of, with a number if there are several
	Size    int64     // in bytes, for a directory with all below it
	Regular bool      // whether it is a regular file
}

// displacedTime is the format of the directories' names.
const displacedTime = "20060102T150405Z"

// ListDisplaced returns the displaced versions, by account and time.
func ListDisplaced(s store.Store) ([]Displaced, error) {
	paths, err := displacedPaths(s, "*")
	if err != nil {
		return nil, err
	}
	var list []Displaced
	for _, path := range paths {
		if disk.IsCopy(filepath.Base(path)) {
			continue
		}
		d, err := displacedAt(s, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return list, err
		}
		list = append(list, d)
	}
	return list, nil
}

// displacedPaths returns the paths of the displaced versions of the accounts whose keys match the pattern keys.
func displacedPaths(s store.Store, keys string) ([]string, error) {
	return filepath.Glob(filepath.Join(stamp.Escape(s.Path("displaced")), keys, "*", "*", "*"))
}

// dropLeftCopies removes the unfinished copies that killed runs left in the account's directory under displaced/. The originals are still
// in place. A copy that cannot be removed now stays until the next time.
func dropLeftCopies(s store.Store, key string) {
	paths, _ := displacedPaths(s, stamp.Escape(key))
	for _, path := range paths {
		if disk.IsCopy(filepath.Base(path)) {
			_ = Prune(s, Displaced{Path: path})
		}
	}
}

func displacedAt(s store.Store, path string) (Displaced, error) {
	dir := filepath.Dir(path)
	d := Displaced{Path: path, Name: filepath.Base(path), View: filepath.Base(dir), Key: filepath.Base(filepath.Dir(filepath.Dir(dir)))}
	when, _, _ := strings.Cut(filepath.Base(filepath.Dir(dir)), ".") // a number follows if there are several in one second
	at, err := time.Parse(displacedTime, when)
	if err != nil {
		return d, fs.ErrNotExist // not made by us
	}
	d.Time = at
	info, err := os.Lstat(path)
	if err != nil {
		return d, err
	}
	d.Regular = info.Mode().IsRegular()
	_, d.Size, err = totalSize(path)
	return d, err
}

// Prune removes a displaced version and the directories that are empty then.
func Prune(s store.Store, d Displaced) error {
	to, err := disk.OpenBelow(s.Root, filepath.Dir(d.Path))
	if err != nil {
		return err
	}
	defer to.Close()
	if err := disk.RemoveAll(to, filepath.Base(d.Path)); err != nil {
		return err
	}
	for dir := filepath.Dir(d.Path); dir != s.Path("displaced"); dir = filepath.Dir(dir) {
		if rmdirBelow(s, dir) != nil {
			break // it still holds other versions
		}
	}
	return nil
}

// rmdirBelow removes an empty directory below the root. It follows no link on the way.
func rmdirBelow(s store.Store, dir string) error {
	above, err := disk.OpenBelow(s.Root, filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer above.Close()
	return above.Rmdir(filepath.Base(dir))
}
