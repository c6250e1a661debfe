package home

import (
	"encoding/binary"
	"maps"
	"path/filepath"
	"slices"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// An account's file "seen" says what each shared file was when the account was last found to have a link to it, or its second name. It
// tells whether somebody wrote an entry outside, or only changed its mode. All of it can be lost: then times alone decide.

// seen are those files, by the sum of view and name.
type seen map[uint64]sighting

// sighting is what a shared file was. It has no device: one home on several machines has several.
type sighting struct{ Ino, Size, Mtime uint64 }

// A file "seen" has of each shared file its key and its sighting, in fields of these many bytes.
const sightingFields, fieldSize = 4, 8

func sightingOf(i disk.Stat) sighting {
	return sighting{i.Ino, uint64(i.Size), uint64(i.Mtime.Nano())}
}

func seenFile(dir string) string { return filepath.Join(dir, "seen") }

// readSeen returns what the account's file says, as far as it can be read.
func readSeen(dir string) seen {
	text, _ := disk.ReadFile(seenFile(dir), sys.O_NOFOLLOW, rules.MaxNames)
	fields := make([]uint64, len(text)/fieldSize/sightingFields*sightingFields) // what is cut off was not seen
	_, _ = binary.Decode([]byte(text), binary.LittleEndian, fields)
	s := make(seen, len(fields)/sightingFields)
	for f := range slices.Chunk(fields, sightingFields) {
		s[f[0]] = sighting{f[1], f[2], f[3]}
	}
	return s
}

// write replaces the account's file, if it says something else.
func (s seen) write(dir string, was seen) {
	if maps.Equal(s, was) {
		return
	}
	fields := make([]uint64, 0, len(s)*sightingFields)
	for key, f := range s {
		fields = append(fields, key, f.Ino, f.Size, f.Mtime)
	}
	text, _ := binary.Append(make([]byte, 0, len(fields)*fieldSize), binary.LittleEndian, fields) // it cannot fail: the sizes are fixed
	_ = rules.Write(seenFile(dir), text)
}

func (v *view) seenKey(name string) uint64 { return disk.Sum(v.Name, "/", name) }

// last returns what the shared file was at the last look, the zero value if the account had no link to it.
func (v *view) last(name string) sighting { return v.seen[v.seenKey(name)] }

// note notes what a shared file is now, if the account has a link to it, and of one that waits what it was before.
func (s seen) note(e entry) {
	switch was := e.view.last(e.name); {
	case e.isWrong() && was.Ino != 0:
		s[e.view.seenKey(e.name)] = was
	case e.there.Exists() && !e.there.IsDir() && (e.isRight() || e.mine.Same(e.there)):
		s[e.view.seenKey(e.name)] = sightingOf(e.there)
	}
}

// isWrittenOutside reports whether the shared file was written or replaced since the account had a link to it. chmod, ln and touch -a write
// nothing.
func (e entry) isWrittenOutside() bool { return e.view.last(e.name) != sightingOf(e.there) }
