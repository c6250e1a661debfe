package history

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"swop/account"
	"swop/disk"
	"swop/disk/sys"
)

// Limits bound what is kept.
type Limits struct {
	Age      time.Duration // older versions are removed
	PerEntry int           // how many versions of one entry are kept
	Bytes    int64         // what all versions may occupy
	Young    time.Duration // younger versions are kept, whatever the other limits say
}

// StandardLimits are those by which the verbs of codex swop prune.
func StandardLimits() Limits {
	const day = 24 * time.Hour
	return Limits{Age: 30 * day, PerEntry: 50, Bytes: 2 << 30, Young: day}
}

// excess returns the versions in list that are beyond the limits, the oldest first. list has the newest first. A version with a time to come
// is a new one: the clock was set back. One that nobody can name is removed for its age alone. One that alone is larger than all may be makes
// no other go.
func (x Limits) excess(list []Version, now time.Time) []Version {
	var used int64
	for _, v := range list {
		used += x.counted(v)
	}
	var gone []Version
	for _, v := range slices.Backward(list) {
		age := now.Sub(v.kept)
		if age < x.Young {
			break
		}
		if age > x.Age || v.Path != Unknown && (v.Number > x.PerEntry || used > x.Bytes || v.used > x.Bytes) {
			gone = append(gone, v)
			used -= x.counted(v)
		}
	}
	return gone
}

// counted returns what the version adds to the bytes that are limited.
func (x Limits) counted(v Version) int64 {
	if v.used > x.Bytes {
		return 0
	}
	return v.used
}

// Prune removes the versions beyond the limits, and returns them. What cannot be removed is left, and named in the error.
func Prune(l account.Layout, now time.Time, limits Limits) ([]Version, error) {
	list, err := List(l)
	if err != nil {
		return nil, err
	}
	return remove(l, limits.excess(list, now))
}

// remove removes the versions by way of trash/: each is there complete, or not at all, and the next run completes a removal that was killed.
func remove(l account.Layout, list []Version) (gone []Version, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	kept, err := disk.OpenBelow(l.Root, l.Path(RootDir))
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	trash, err := openBelow(l.Root, "trash")
	if err != nil {
		return nil, err
	}
	defer trash.Close()
	var left []error
	for _, v := range list {
		switch err := discard(kept, trash, v.ID); {
		case errors.Is(err, fs.ErrNotExist): // another run was faster
		case err != nil:
			left = append(left, err)
		default:
			gone = append(gone, v)
		}
	}
	return gone, errors.Join(left...)
}

func discard(kept, trash disk.Dir, id string) error {
	gone := "kept-" + id
	switch err := kept.Move(id, trash, gone); {
	case errors.Is(err, sys.EBUSY):
		return kept.Mounted(id)
	case errors.Is(err, sys.EXDEV): // kept/ is a mount of its own
		return disk.RemoveAll(kept, id)
	case err != nil:
		return kept.Err("rename", id, err)
	}
	return disk.RemoveAll(trash, gone)
}

// Open opens the directory of all versions, and makes it if it is missing.
func Open(root string) (disk.Dir, error) { return openBelow(root, RootDir) }

// openBelow opens the directory called name in swop's root, and makes it if it is missing.
func openBelow(root, name string) (disk.Dir, error) {
	d, err := disk.Open(root, disk.NoFollow)
	if err != nil {
		return d, err
	}
	return d.MakeAndOpen(name)
}
