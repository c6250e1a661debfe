package home

import (
	"encoding/binary"
	"hash/fnv"
	"io"
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
type sighting struct {
	Entry, Ino  uint64
	Size, Mtime int64
}

func (e entry) sighting(i disk.Stat) sighting {
	return sighting{e.view.seenKey(e.name), i.Ino, i.Size, i.Mtime.Nano()}
}

func seenFile(dir string) string { return filepath.Join(dir, "seen") }

// readSeen returns what the account's file says, as far as it can be read.
func readSeen(dir string) seen {
	text, _ := disk.ReadFile(seenFile(dir), sys.O_NOFOLLOW, rules.MaxNames)
	lines := make([]sighting, len(text)/binary.Size(sighting{}))
	_, _ = binary.Decode([]byte(text), binary.LittleEndian, lines) // what is cut off was not seen
	s := make(seen, len(lines))
	for _, l := range lines {
		s[l.Entry] = l
	}
	return s
}

// write replaces the account's file, if it says something else.
func (s seen) write(dir string, was seen) {
	if maps.Equal(s, was) {
		return
	}
	text, _ := binary.Append(nil, binary.LittleEndian, slices.Collect(maps.Values(s))) // it cannot fail: the sizes are fixed
	_ = rules.Write(seenFile(dir), text)
}

func (v *view) seenKey(name string) uint64 {
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, v.Name+"/"+name) // it never fails
	return sum.Sum64()
}

// last returns what the shared file was at the last look, the zero value if the account had no link to it.
func (v *view) last(name string) sighting { return v.seen[v.seenKey(name)] }

// note notes what a shared file is now, if the account has a link to it, and of one that waits what it was before.
func (s seen) note(e entry) {
	switch was := e.view.last(e.name); {
	case e.isWrong() && was.Ino != 0:
		s[was.Entry] = was
	case e.there.Exists() && !e.there.IsDir() && (e.isRight() || e.mine.Same(e.there)):
		s[e.view.seenKey(e.name)] = e.sighting(e.there)
	}
}

// isWrittenOutside reports whether the shared file was written or replaced since the account had a link to it. chmod, ln and touch -a write
// nothing.
func (e entry) isWrittenOutside() bool { return e.view.last(e.name) != e.sighting(e.there) }
