package disk

import (
	"errors"
	"maps"
	"slices"
)

// CopyWhole copies an entry to a free name, complete or not at all.
func CopyWhole(from Dir, name string, i Stat, to Dir, toName string) error {
	tmp := CopyName()
	if err := CopyEntry(from, name, i, to, tmp); err != nil {
		return Undone(err, RemoveAll(to, tmp))
	}
	if err := to.Move(tmp, to, toName); err != nil {
		return Undone(to.Err("rename", toName, err), RemoveAll(to, tmp))
	}
	return to.Sync() // before the original goes, on another disk, whose own order of writing is another
}

// MoveByCopy moves an entry across file systems.
func MoveByCopy(from Dir, entry string, to Dir, name string) error {
	i, err := from.Stat(entry)
	if err != nil {
		return err
	}
	if err := CopyWhole(from, entry, i, to, name); err != nil {
		return err
	}
	return RemoveAll(from, entry)
}

// DropCopies removes the copies in d that a killed run did not finish.
func DropCopies(d Dir) error {
	entries, err := d.Entries()
	failed := []error{err}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if IsCopy(name) {
			failed = append(failed, RemoveAll(d, name))
		}
	}
	return errors.Join(failed...)
}
