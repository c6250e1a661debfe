//go:build unix

package projection

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"

	"swop/manager/disk"
)

// act repairs what the scan found. What programs renamed comes first, all of it at once: the names may form a chain or a circle.
func (p *projection) act(list []finding) error {
	renamings, err := p.detachRenamed(list)
	if err != nil {
		return err
	}
	for _, r := range renamings {
		if err := p.placeShared(r.tmp, r.name); err != nil {
			return err
		}
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

// waitForOwn notes an entry that could not be moved, so that the next scan tries again.
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
		return p.unpair(f.name)
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
