//go:build unix

package mirror

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"swop/disk"
	"swop/home/rules"
)

// A set-up that codex made inside an account is the machine's as well: its linked entries move to the shared home like any other, and its marker,
// which is copied, follows them. docs/decisions/0062 says why only then.

// ownCopyNewer reports whether the account's private directory called name has a regular file that the shared one lacks, or has an older version
// of; or a killed run left a copy there.
func (p *projection) ownCopyNewer(name string, files []string) (bool, error) {
	if p.leftCopy(name) {
		return true, nil
	}
	for _, file := range files {
		own, err := disk.Lstat(filepath.Join(p.sandbox.Path, name, file))
		if err != nil {
			return false, err
		}
		there, err := disk.Lstat(filepath.Join(p.copySource(filepath.Join(name, file)), name, file))
		if err != nil {
			return false, err
		}
		if own.IsRegular() && takes(there, own) {
			return true, nil
		}
	}
	return false, nil
}

// leftCopy reports whether the shared directory called name has a copy that was not finished, or not removed.
func (p *projection) leftCopy(name string) bool {
	d, err := disk.Open(filepath.Join(p.shared.Path, name), disk.NoFollow)
	if err != nil {
		return false
	}
	entries, err := d.Entries()
	left := errors.Join(err, d.Close()) == nil
	return left && slices.ContainsFunc(slices.Collect(maps.Keys(entries)), disk.IsCopy)
}

// takes reports whether the shared file, if there is one, gives way to the account's own.
func takes(there, own disk.Stat) bool {
	return !there.Exists() || there.IsRegular() && disk.Older(there.Mtime, own.Mtime)
}

// shareCopies copies the newer files of the account's private directory called name to the shared one, once all else of the set-up is there and
// no session of the account runs.
func (p *projection) shareCopies(name string, files []string) error {
	complete, err := p.setUpShared()
	if err != nil || !complete {
		return err
	}
	if idle, err := p.idle(); err != nil || !idle {
		return err
	}
	if there, err := p.shared.Stat(name); err != nil || there.Exists() && !there.IsDir() {
		return err // somebody's link or file stays as it is
	}
	own, err := p.sandbox.OpenDir(name)
	if err != nil {
		return err
	}
	defer own.Close()
	if err := p.shared.Mkdir(name); err != nil {
		return err
	}
	there, err := p.shared.OpenDir(name)
	if err != nil {
		return err
	}
	defer there.Close()
	if err := disk.DropCopies(there); err != nil {
		return err
	}
	for _, file := range files {
		if err := shareCopy(own, there, file); err != nil {
			return err
		}
	}
	return nil
}

// setUpShared reports whether the shared home has what the table links of a set-up: all that the account shows, and at least one entry.
func (p *projection) setUpShared() (bool, error) {
	some := false
	for row := range p.rules.All() {
		if !row.Bootstrap || row.Class != rules.Link {
			continue
		}
		there, err := p.shared.Stat(row.Pattern)
		if err != nil {
			return false, err
		}
		own, err := p.sandbox.Stat(row.Pattern)
		if err != nil || own.Exists() && !there.Exists() {
			return false, err
		}
		some = some || there.Exists()
	}
	return some, nil
}

// shareCopy puts a copy of the account's file into the shared directory, if that has none or an older one. What a program put there meanwhile
// stays.
func shareCopy(own, there disk.Dir, file string) error {
	mine, err := own.Stat(file)
	if err != nil || !mine.IsRegular() {
		return err
	}
	old, err := there.Stat(file)
	if err != nil || !takes(old, mine) {
		return err
	}
	return withCopy(own, file, mine, there, func(tmp string) error {
		if old.Exists() {
			if err := dropOld(there, file, old); err != nil {
				return err
			}
		}
		return there.Err("rename", file, disk.Changed(there.Move(tmp, there, file)))
	})
}

// dropOld removes old, which codex makes again where it is missing, so it is not kept. What a program put there meanwhile goes back, and the
// error is [disk.ErrChanged].
func dropOld(d disk.Dir, file string, old disk.Stat) error {
	out := disk.CopyName()
	if err := d.Move(file, d, out); err != nil {
		return d.Err("rename", file, disk.Changed(err))
	}
	got, err := d.Stat(out)
	if err == nil && got.Unmodified(old) {
		return d.Unlink(out)
	}
	return disk.ChangedAfter(errors.Join(err, d.Err("rename", file, d.Move(out, d, file))))
}
