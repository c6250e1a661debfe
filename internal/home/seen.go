package home

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"swop/internal/disk"
	"swop/internal/home/rules"
)

// An account's file "seen" says what each shared entry was when the account was last found to have a link to it, or its second name. It
// tells whether somebody wrote an entry outside, or only changed its mode, and when a session of the account saved what another account
// finds there. All of it can be lost: then times alone decide.

// seen are those entries, by the sum of view and name. With the key 0 it has the inodes of the account's and of the shared codex home.
type seen map[uint64]sighting

// sighting is what a shared entry was, a directory its inode alone, and the ctime that it had in the sandbox before swop shared it, 0 if no
// session of the account saved it. It has no device: one home on several machines has several.
type sighting struct{ Ino, Size, Mtime, Saved uint64 }

func sightingOf(i disk.Stat) sighting {
	if i.IsDir() {
		return sighting{Ino: i.Ino}
	}
	return sighting{Ino: i.Ino, Size: uint64(i.Size), Mtime: uint64(i.Mtime.Nano())}
}

// isOf reports whether nobody wrote the file since. chmod, ln and touch -a write nothing.
func (s sighting) isOf(i disk.Stat) bool {
	s.Saved = 0
	return s == sightingOf(i)
}

func seenFile(dir string) string { return filepath.Join(dir, "seen") }

// readSeen returns the sightings in the account's file, as far as it can be read.
func readSeen(dir string) seen {
	const fields = 5 // of a record: the key and those of the sighting
	text, _ := disk.ReadOwn(seenFile(dir), rules.MaxNames)
	numbers := make([]uint64, len(text)/8)
	_, _ = binary.Decode([]byte(text), binary.LittleEndian, numbers) // it cannot fail: they are as many
	s := make(seen, len(numbers)/fields)
	for r := numbers; len(r) >= fields; r = r[fields:] { // what is cut off was not seen
		s[r[0]] = sighting{r[1], r[2], r[3], r[4]}
	}
	return s
}

// write replaces the account's file.
func (s seen) write(dir string) error {
	numbers := make([]uint64, 0, 5*len(s)) // see readSeen
	for _, key := range slices.Sorted(maps.Keys(s)) {
		f := s[key]
		numbers = append(numbers, key, f.Ino, f.Size, f.Mtime, f.Saved)
	}
	text, _ := binary.Append(nil, binary.LittleEndian, numbers) // it cannot fail: their size is fixed
	return putUnsynced(seenFile(dir), func(tmp string) error { return os.WriteFile(tmp, text, 0o600) })
}

// putUnsynced replaces a file or link by what put makes at a new path, unsynced.
func putUnsynced(path string, put func(tmp string) error) error {
	tmp := filepath.Join(filepath.Dir(path), disk.TempName())
	err := put(tmp)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	return errors.Join(err, disk.RemoveIfExists(tmp))
}

func (v *view) seenKey(name string) uint64 { return disk.Sum(v.Name, "/", name) }

// last returns the sighting of the shared entry at the last look, the zero value if the account had no link to it.
func (v *view) last(name string) sighting { return v.seen[v.seenKey(name)] }

// note notes the sighting of a shared entry, if the account has a link to it; of a file that waits, the sighting before.
func (s seen) note(e entry) {
	was := e.view.last(e.name)
	switch {
	case e.isWrong() && was != sighting{}:
	case !e.isRight() && !e.mine.Same(e.there):
		delete(s, e.view.seenKey(e.name))
		return
	case !e.there.Exists():
		was = sighting{Size: 1} // of a link that is there before the entry: no file has it
	case !was.isOf(e.there):
		was = sightingOf(e.there)
	}
	s[e.view.seenKey(e.name)] = was
}

// noteSaved notes that a file that a session of the account saved or moved there is the shared one now.
func (e entry) noteSaved(i disk.Stat) {
	saved := sightingOf(i)
	saved.Saved = uint64(e.mine.Ctime.Nano())
	e.view.seen[e.view.seenKey(e.name)] = saved
}

// isAsSeen reports whether the file of one side is the one that both had at the last look, unwritten since.
func (e entry) isAsSeen(i disk.Stat) bool { return i.Exists() && e.view.last(e.name).isOf(i) }

// isUnread reports whether no session can have read the shared file: the account had no link to it, at any name, as far as is known.
func (e entry) isUnread() bool {
	return e.there.Exists() && !e.there.IsDir() && e.view.last(e.name) == sighting{} && !e.view.wasLed[e.place]
}

// isNewer reports whether the shared file got its name or contents, or its mode, after the sandbox's entry got its own.
func (e entry) isNewer() bool {
	return !e.view.hardLinks && e.there.Exists() && !e.there.IsDir() && e.mine.Ctime.Nano() < e.there.Ctime.Nano()
}

// isOverruled reports whether the shared file was put there after what the session did, by somebody else: it may have written the file
// through a link at another name.
func (e entry) isOverruled() bool {
	return e.isNewer() && !e.isAsSeen(e.there) && !e.view.wasLed[e.place] && !e.isSavedLater()
}

// isSavedLater reports whether a session saved the file of the sandbox after one of another account had saved what is shared now.
func (e entry) isSavedLater() bool {
	accounts, _ := os.ReadDir(e.view.Store.AccountsDir()) // those that cannot be read saved nothing
	return slices.ContainsFunc(accounts, func(a fs.DirEntry) bool {
		other := readSeen(e.view.Store.AccountDir(a.Name()))[e.view.seenKey(e.name)]
		return other.isOf(e.there) && other.Saved != 0 && other.Saved < uint64(e.mine.Ctime.Nano())
	})
}
