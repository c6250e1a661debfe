//go:build unix

package projection

import (
	"errors"
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
	"swop/manager/stamp"
)

// projection shows the entries of one shared directory in one sandbox directory. The codex home and the real home differ only in their
// rules.
//
// It scans, then repairs. A scan reads both directories and returns what is not as it should be: usually nothing. Then, one reconcile at a
// time for each shared home, every finding is judged again and repaired by renames and links. Each of them leaves both directories valid
// and may be repeated: if the run is killed between two, the next one goes on. Programs do not take our lock. Whatever they do between two
// of our calls, no version of a file is dropped unless its writer replaced it or a copy is kept.
type projection struct {
	shared, sandbox disk.Dir
	rules           stamp.Rules
	bootstrap       string          // the codex home that the account was taken over from, "" for none
	former          []string        // where the shared directory was before
	pinned          map[string]bool // what the sandbox keeps to itself since an earlier table said so
	view            string          // "codex" or "home"
	was, now        *homeBaseline   // what the last scan saw, and what this one sees
	*reconciler
	// The renamed links whose shared entries were moved, by their new names. Another link that is renamed there later stands for another entry.
	detached map[string]linkMark
}

// finding is an entry that is not as it should be.
type finding struct {
	kind findingKind
	name string
}

type findingKind uint8

const (
	missingShared    findingKind = iota // the shared home lacks a known directory
	leftCopy                            // a killed run did not finish a copy
	leftTemp                            // a killed run left a version under a temporary name
	leftTempInShared                    // the same in the shared directory
	renamedLink                         // a program renamed a link of ours to this name
	wrongLink                           // a link of ours must be removed or point elsewhere
	missingLink                         // the sandbox lacks an entry
	staleCopy                           // the sandbox lacks a copy, or has an old one
	unpairedFile                        // a hard-linked file lacks one of its names, or they are two files
	stillPaired                         // a hard-linked file became private, but is still the shared one
	ownVersion                          // the sandbox has an entry of its own in place of the link
	strayLog                            // a log is there without its database
)

// ours reports whether dir is the shared directory, or was: links into it are ours, or are what programs made of ours.
func (p *projection) ours(dir string) bool {
	return dir != "" && (dir == p.shared.Path || dir == p.bootstrap || slices.Contains(p.former, dir))
}

// target returns where the sandbox's link for name points.
func (p *projection) target(name string) string {
	dir := p.source(name)
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name // not filepath.Join, which would change what the kernel opens: /home/../me
}

// class returns the entry's class. A pinned entry is private, whatever the rules say now.
func (p *projection) class(name string) stamp.Class {
	class := p.rules.Class(name)
	if p.pinned[name] && class.Shared() {
		return stamp.Private
	}
	return class
}

// act repairs what the scan found. What programs renamed comes first.
func (p *projection) act(list []finding) error {
	if err := p.renameShared(list); err != nil {
		return err
	}
	for i, f := range list {
		if p.options.Progress != nil {
			p.options.Progress(i, len(list))
		}
		err := p.repair(f)
		if denied(err) && f.kind.isOwn() {
			err = p.waitForOwn(f.name) // doctor reports it, and codex runs all the same
		}
		if errors.Is(err, disk.ErrChanged) {
			err = nil // the next scan judges what the program made of it
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// denied reports whether err says that an entry may not be moved: its owner closed it, or it is a mount point.
func denied(err error) bool { return errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EBUSY) }

// waitForOwn notes an entry that could not be moved, so that the next scan judges it again.
func (p *projection) waitForOwn(name string) error {
	own, err := p.sandbox.Stat(name)
	if err == nil && own.Exists() {
		p.now.wait(name, own)
	}
	return err
}

// isOwn reports whether the finding is about something that the account made, and that codex can do without.
func (k findingKind) isOwn() bool { return k == ownVersion || k == leftTemp || k == strayLog }

func (p *projection) repair(f finding) error {
	switch f.kind {
	case missingShared:
		return p.shared.Mkdir(f.name)
	case leftCopy:
		return errors.Join(disk.RemoveAll(p.sandbox, f.name), disk.RemoveAll(p.shared, f.name))
	case leftTemp:
		name, _ := disk.TempOf(f.name)
		return p.foldTemp(f.name, name)
	case leftTempInShared:
		name, _ := disk.TempOf(f.name)
		return p.placeShared(f.name, name)
	case renamedLink, wrongLink:
		if row, _ := p.rules.Row(f.name); len(row.Copied) > 0 {
			return errors.Join(p.repairLink(f), p.updateCopies(f.name, row.Copied))
		}
		return p.repairLink(f)
	case missingLink:
		return p.addLink(f.name)
	case staleCopy:
		row, _ := p.rules.Row(f.name)
		return p.updateCopies(f.name, row.Copied)
	case unpairedFile:
		return p.pair(f.name)
	case stillPaired:
		return retry(func() error { return p.unpair(f.name) })
	case ownVersion:
		return p.foldOwn(f.name)
	}
	return p.dropLog(f.name)
}

// retry calls f again as long as a program changed the entry meanwhile, and returns its error. After disk.Rounds calls it returns nil: the
// next run goes on.
func retry(f func() error) error {
	for range disk.Rounds {
		if err := f(); !errors.Is(err, disk.ErrChanged) {
			return err
		}
	}
	return nil
}
