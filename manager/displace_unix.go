//go:build unix

package manager

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
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
		if err = copyEntry(p.shared, name, there, to, kept); err == nil {
			err = to.sync() // before the original is replaced, on another disk perhaps
		}
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
		err = p.moveByCopy(from, entry, to, kept)
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
