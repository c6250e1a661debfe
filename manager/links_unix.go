//go:build unix

package manager

import (
	"errors"
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"
)

// addLink links an entry that the sandbox lacks, unless the shared one is gone by now.
func (p *projection) addLink(name string) error {
	if p.class(name) != LinkAhead {
		if there, err := p.lookThrough(name); err != nil || !there.exists() {
			return err
		}
	}
	if err := p.sandbox.symlink(p.target(name), name); err != nil {
		return err
	}
	return p.noteLink(name)
}

// noteLink remembers the link of ours at name, so that a program that renames it is found out. One that a program has renamed there
// meanwhile is another's: the program did not see what the shared home has under this name.
func (p *projection) noteLink(name string) error {
	i, err := p.sandbox.stat(name)
	if err == nil && p.isOwnLink(name, i) {
		p.next.link(name, markLink(i.ino, p.target(name)))
	}
	return err
}

// isRenamed reports whether i, the sandbox's entry, is a link of ours that a program has renamed to name: it stands for a shared entry of
// another name.
func (p *projection) isRenamed(entry string, i item, name string) (bool, error) {
	if !i.isLink() {
		return false, nil
	}
	target, err := p.sandbox.readlink(entry)
	return p.wasLinkElsewhere(target, i, name), err
}

// wasLinkElsewhere reports whether i, with this target, was our link at another name than this.
func (p *projection) wasLinkElsewhere(target string, i item, name string) bool {
	dir, base := splitPath(target)
	mark := markLink(i.ino, target)
	return p.ours(dir) && base != name && (p.last.wasLink(base, mark) || p.next.wasLink(base, mark))
}

// linkRenamed reports whether our link that was at name, where a program has made an entry of its own, is still in the sandbox: it was not
// replaced then, but renamed a moment ago, and stands for the shared entry. The next look finds it.
func (p *projection) linkRenamed(name string) (bool, error) {
	was := p.lastLink(name)
	entries, err := p.sandbox.entries()
	for other, entry := range entries {
		if other != name && was.is(p.sandbox, other, entry) {
			p.next.link(name, was)
			return true, err
		}
	}
	return false, err
}

// linkMark tells a link of ours wherever a program moved it. The inode alone does not: that of a link that is gone is given to the next.
type linkMark struct {
	Ino, Target uint64 // Target is the sum of what it leads to
}

func markLink(ino uint64, target string) linkMark { return linkMark{ino, textSum(target)} }

func (p *projection) lastLink(name string) linkMark { return p.last.Links[strconv.Quote(name)] }

func (m linkMark) is(d folder, name string, entry dirent) bool {
	if entry.ino != m.Ino || entry.mode&fs.ModeSymlink == 0 {
		return false
	}
	target, err := d.readlink(name)
	return err == nil && markLink(entry.ino, target) == m
}

// forgetLink is the contrary of noteLink, for a link that makes room again.
func (p *projection) forgetLink(name string) { delete(p.next.Links, strconv.Quote(name)) }

// mendLink drops or renews a link of ours that is not as it should be. What is no link of ours any more is left for the next look.
func (p *projection) mendLink(f finding) error {
	name := f.name
	target, err := p.sandbox.readlink(name)
	if err != nil || target == "" {
		return err
	}
	i, err := p.sandbox.stat(name)
	if err != nil {
		return err
	}
	if dir, _ := splitPath(target); !p.ours(dir) && !p.last.wasLink(name, markLink(i.ino, target)) {
		return nil
	}
	if p.wasLinkElsewhere(target, i, name) && p.detached[name] != markLink(i.ino, target) {
		return nil // renamed there since the look: the next one finds what it stands for
	}
	if err := p.undoPairedLink(name, i); err != nil {
		return err
	}
	there, err := p.lookThrough(name)
	if err != nil {
		return err
	}
	switch class := p.class(name); {
	case !class.linked(), !there.exists() && class != LinkAhead:
		return p.dropLink(name, target)
	case target == p.target(name):
		return p.noteLink(name)
	}
	old, err := p.swapInLink(name)
	if err != nil || old == "" {
		return ignore(err, errAgain)
	}
	if was, err := p.sandbox.readlink(old); err != nil || was == target {
		return errors.Join(err, p.sandbox.unlink(old))
	}
	got, err := p.sandbox.stat(old)
	if err != nil {
		return err
	}
	return p.foldTaken(old, got, name)
}

// dropLink removes a link of ours to target. A program that replaces it meanwhile does not lose its file, nor what a link stands for
// that it renames there: what is removed is looked at first, under a name that no program knows.
func (p *projection) dropLink(name, target string) error {
	tmp := asideName(name)
	if err := p.sandbox.move(name, p.sandbox, tmp); err != nil {
		return p.sandbox.fail("rename", name, ignore(err, unix.ENOENT))
	}
	if was, err := p.sandbox.readlink(tmp); err != nil || was == target {
		return errors.Join(err, p.sandbox.unlink(tmp))
	}
	return p.giveBack(tmp, name)
}
