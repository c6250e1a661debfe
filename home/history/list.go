package history

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"swop/account"
	"swop/disk"
	"swop/disk/sys"
)

// Version is a version that is kept.
type Version struct {
	ID string
	About
	Number  int      // among the versions of this entry, 1 for the newest
	Files   []string // the names of its files: the entry's own first, then those that belong to it, such as a database's log
	Size    int64    // in bytes, of a directory with all below it
	Regular bool     // whether it is a regular file
	Err     error    // why it cannot be read, nil where it can

	kept time.Time // since when, by its id
	used int64     // what it occupies of the disk, where that is less than its size
}

// Dir is the directory with the version's files.
func (v Version) Dir(l account.Layout) string { return filepath.Join(l.Path(RootDir), v.ID, FilesDir) }

// Unknown is the path of a version whose description cannot be read, or which has no files.
const Unknown = "?"

// idTime is the first part of a version's id. The random name that follows tells versions of one moment apart.
const idTime = "20060102T150405.000000000Z"

// NewID returns an id for a version that another one takes the place of now. Ids sort by time.
func NewID(now time.Time) string { return now.UTC().Format(idTime) + "-" + disk.RandomName() }

// timeOf returns the time in an id, and whether this is one.
func timeOf(id string) (time.Time, bool) {
	when, random, _ := strings.Cut(id, "-")
	at, err := time.Parse(idTime, when)
	return at, err == nil && len(random) == disk.RandomLength && at.Format(idTime) == when
}

// List returns the versions, the newest first. One that cannot be read, or has no files, has the path [Unknown]. What is not ours in kept/ is left out.
func List(l account.Layout) ([]Version, error) {
	kept, err := disk.OpenBelow(l.Root, l.Path(RootDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	entries, err := kept.Entries()
	if err != nil {
		return nil, err
	}
	var list []Version
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(entries))) {
		at, ours := timeOf(id)
		if !ours {
			continue
		}
		v, err := read(kept, id, at)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	number(list)
	return list, nil
}

// number counts the versions of each entry. list has the newest first.
func number(list []Version) {
	last := map[[2]string]int{}
	for i, v := range list {
		entry := [2]string{v.View, v.Path}
		last[entry]++
		list[i].Number = last[entry]
	}
}

// exhausted returns err if it says nothing of the version, but that the process or the system is short of something.
func exhausted(err error) error {
	if disk.Ignore(err, sys.EMFILE, sys.ENFILE, sys.ENOMEM) != nil {
		return nil
	}
	return err
}

// read returns the version as far as it can be read. It is kept since the time in its id, by which versions are ordered and pruned.
func read(kept disk.Dir, id string, at time.Time) (Version, error) {
	v := Version{ID: id, About: About{Path: Unknown, Time: at}, kept: at}
	d, err := kept.OpenDir(id)
	if v.Err = err; err != nil {
		return v, exhausted(err)
	}
	defer d.Close()
	files, err := d.OpenDir(FilesDir)
	if v.Err = err; err != nil {
		return v, exhausted(err)
	}
	defer files.Close()
	entries, err := files.Entries() // one that cannot be listed has no files
	about, err2 := ReadAbout(d)
	v.Err = errors.Join(err, err2)
	if v.Err == nil && len(entries) > 0 {
		v.About = about
	}
	v.readFiles(files, entries)
	return v, exhausted(v.Err)
}

func (v *Version) readFiles(files disk.Dir, entries map[string]disk.Entry) {
	v.Files = slices.SortedFunc(maps.Keys(entries), v.compareFiles)
	for i, name := range v.Files {
		there, err := files.Stat(name)
		if err != nil {
			continue
		}
		v.Regular = v.Regular || i == 0 && there.IsRegular()
		v.count(filepath.Join(files.Path, name), there)
	}
}

// compareFiles puts the entry's own file first. Those that belong to it have its name and an ending.
func (v *Version) compareFiles(a, b string) int {
	switch own := filepath.Base(v.Path); own {
	case a:
		return -1
	case b:
		return 1
	}
	return strings.Compare(a, b)
}

// count adds the sizes of what is at path.
func (v *Version) count(path string, there disk.Stat) {
	if !there.IsDir() {
		v.add(path)
		return
	}
	_ = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error { // what cannot be read counts nothing
		if err == nil && !entry.IsDir() {
			v.add(path)
		}
		return nil
	})
}

// add adds the size of one file. A sparse one occupies less.
func (v *Version) add(path string) {
	var st sys.Stat_t
	if sys.Lstat(path, &st) == nil {
		const block = 512 // stat(2)
		v.Size += st.Size
		v.used += min(st.Size, st.Blocks*block)
	}
}
