//go:build unix

package manager

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
)

// keepShared gives the shared version a second name under displaced/, before it is replaced.
func (p *projection) keepShared(name string, there item) error {
	to, kept, err := p.asideFor(name)
	if err != nil {
		return err
	}
	defer to.close()
	err = p.shared.link(name, to, kept)
	if errors.Is(err, unix.EXDEV) || cannotLink(err) {
		err = copyWhole(p.shared, name, there, to, kept)
	}
	if err != nil {
		return p.shared.fail("link", name, again(err))
	}
	p.sayKept(name, to, kept)
	return nil
}

// displace moves a version that has lost under displaced/.
func (p *projection) displace(from folder, entry, name string) error {
	to, kept, err := p.asideFor(name)
	if err != nil {
		return err
	}
	defer to.close()
	err = from.move(entry, to, kept)
	if errors.Is(err, unix.EXDEV) {
		err = moveByCopy(from, entry, to, kept)
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return from.fail("rename", entry, err)
	}
	p.sayKept(name, to, kept)
	return nil
}

func (p *projection) sayKept(name string, to folder, kept string) {
	p.say(fmt.Sprintf("two versions of %q: the other one is kept as %s", name, Shown(to.path+"/"+kept)))
}

// asideFor returns the view's directory of this reconcile under displaced/, open, and a free name in it for another version of name.
func (p *projection) asideFor(name string) (folder, string, error) {
	if name == "" {
		name = "unnamed"
	}
	to, err := p.openDisplaced()
	if err != nil {
		return to, "", err
	}
	free := name
	for n := 2; ; n++ {
		there, err := to.stat(free)
		if err != nil {
			return to, "", errors.Join(err, to.close())
		}
		if !there.exists() {
			return to, free, nil
		}
		end := fmt.Sprintf(".%d", n)
		free = name[:min(len(name), nameMax-len(end))] + end
	}
}

// openDisplaced opens the view's directory of this reconcile under displaced/, and makes what is missing of it: again, where a directory
// was pruned for being empty.
func (p *projection) openDisplaced() (d folder, err error) {
	if p.displaced == "" {
		p.store.dropLeftCopies(p.account.Key)
	}
	for range rounds {
		if d, err = p.makeDisplaced(); !errors.Is(err, unix.ENOENT) {
			break
		}
	}
	return d, err
}

// makeDisplaced follows no link on the way from the root.
func (p *projection) makeDisplaced() (folder, error) {
	d, err := openFolder(p.store.Root, refuseLink)
	if err != nil {
		return d, err
	}
	if d, err = d.into("displaced"); err != nil {
		return d, err
	}
	if d, err = d.into(p.account.Key); err != nil {
		return d, err
	}
	if p.displaced == "" {
		if p.displaced, err = d.mkdirAt(p.nextLook.at); err != nil {
			return folder{}, errors.Join(err, d.close())
		}
	}
	if d, err = d.into(p.displaced); err != nil {
		return d, err
	}
	return d.into(p.view)
}

// into opens the directory called name in d, and makes it if it is missing. d is closed.
func (d folder) into(name string) (in folder, err error) {
	for range rounds {
		if err = d.mkdir(name); err != nil {
			break
		}
		if in, err = d.sub(name); !errors.Is(err, unix.ENOENT) { // else it was empty, and pruned
			break
		}
	}
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
		path := filepath.Join(d.path, name)
		err = config.WithHint(unsafe("%s: is not a directory", Shown(path)), fmt.Sprintf("mv %s %s", ShellQuote(path), ShellQuote(path+".old")))
	}
	if closed := d.close(); err == nil && closed != nil {
		err = errors.Join(closed, in.close())
	}
	return in, err
}

// mkdirAt makes a directory of a reconcile's own, named for the time at which its look began, and returns the name: a database and its log that
// are displaced together keep their names.
func (d folder) mkdirAt(at unix.Timespec) (string, error) {
	first := time.Unix(int64(at.Sec), 0).UTC().Format(displacedTime)
	name := first
	for n := 2; ; n++ {
		err := unix.Mkdirat(d.fd(), name, 0o700)
		if err == nil {
			return name, d.fail("mkdir", name, d.ownDir(name))
		}
		if !errors.Is(err, unix.EEXIST) {
			return "", d.fail("mkdir", name, err)
		}
		name = fmt.Sprintf("%s.%d", first, n)
	}
}
