//go:build unix

package projection

import (
	"errors"

	"swop/manager/disk"
)

// What crosses file systems must be copied. While it is copied a program might write to the original, and the copy would not have that: so
// nothing is copied unless no process uses the account.

// adoptCopy does what adopt does, where the sandbox and the shared directory are on different file systems.
func (p *projection) adoptCopy(name string, own disk.Stat) error {
	if waits, err := p.mustWait(name, own); err != nil || waits {
		return err
	}
	if err := disk.CopyWhole(p.sandbox, name, own, p.shared, name); err != nil {
		return disk.Changed(err)
	}
	return p.linkOverCopied(name, own)
}

// linkOverCopied replaces an entry, of which a copy was made, by its link. If the entry was written since, it is folded.
func (p *projection) linkOverCopied(name string, own disk.Stat) error {
	tmp, got, err := p.swapOut(name)
	if err != nil || tmp == "" {
		return err
	}
	if got.Unmodified(own) {
		return disk.RemoveAll(p.sandbox, tmp)
	}
	return p.foldSwappedOut(tmp, got, name)
}

// replaceSharedByCopy does what replaceShared does, across file systems: the copy is completed, then exchanged for the shared version.
func (p *projection) replaceSharedByCopy(name string, own, there disk.Stat) error {
	unplaced := disk.CopyName()
	if err := disk.CopyEntry(p.sandbox, name, own, p.shared, unplaced); err != nil {
		return disk.Undone(err, disk.RemoveAll(p.shared, unplaced))
	}
	tmp := disk.TempName(name)
	if err := p.shared.Move(unplaced, p.shared, tmp); err != nil {
		return disk.Undone(p.shared.Err("rename", tmp, err), disk.RemoveAll(p.shared, unplaced))
	}
	if err := p.shared.Exchange(tmp, p.shared, name); err != nil {
		return disk.Undone(p.shared.Err("rename", name, disk.Changed(err)), disk.RemoveAll(p.shared, tmp))
	}
	if err := p.shared.Sync(); err != nil { // as in [disk.CopyWhole]
		return err
	}
	got, err := p.shared.Stat(tmp)
	if err != nil {
		return err
	}
	if got.Unmodified(there) {
		err = disk.RemoveAll(p.shared, tmp)
	} else {
		err = p.displace(p.shared, tmp, name)
	}
	return errors.Join(err, p.notePlaced(name), p.linkOverCopied(name, own))
}
