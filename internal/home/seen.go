package home

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"maps"
	"path/filepath"

	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/internal/home/rules"
)

// An account's file "seen" says what each shared file was when the account was last found to have a link to it. It is the clock that tells
// whether a session alone changed an entry, or somebody outside, too. All of it can be lost: then times decide.

// seen are those files, by the sum of view and name.
type seen map[uint64]sighting

// sighting is what a shared file was. It has no device: one home on several machines has several.
type sighting struct {
	Ino                uint64
	Size, Mtime, Ctime int64
}

// seenLine is what the file has for an entry.
type seenLine struct {
	Entry uint64
	Was   sighting
}

func seenFile(dir string) string { return filepath.Join(dir, "seen") }

// readSeen returns what the account's file says, as far as it can be read.
func readSeen(dir string) seen {
	text, _ := disk.ReadFile(seenFile(dir), sys.O_NOFOLLOW, rules.MaxNames)
	lines := make([]seenLine, len(text)/binary.Size(seenLine{}))
	_, _ = binary.Decode([]byte(text), binary.LittleEndian, lines) // what is cut off was not seen
	s := seen{}
	for _, l := range lines {
		s[l.Entry] = l.Was
	}
	return s
}

// write replaces the account's file, if it says something else.
func (s seen) write(dir string, was seen) {
	if maps.Equal(s, was) {
		return
	}
	lines := make([]seenLine, 0, len(s))
	for entry, is := range s {
		lines = append(lines, seenLine{entry, is})
	}
	text, _ := binary.Append(nil, binary.LittleEndian, lines) // it cannot fail: the sizes are fixed
	_ = rules.Write(seenFile(dir), text)
}

func (e entry) seenKey() uint64 {
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, e.in.Name+"/"+e.name) // it never fails
	return sum.Sum64()
}

// note notes what a shared file is now, if the account has a link to it, and of one that waits what it was before.
func (s seen) note(e entry) {
	switch was, ok := e.in.seen[e.seenKey()]; {
	case e.isWrong() && ok:
		s[e.seenKey()] = was
	case e.isRight() && e.there.Exists() && !e.there.IsDir():
		s[e.seenKey()] = sighting{e.there.Ino, e.there.Size, e.there.Mtime.Nano(), e.there.Ctime.Nano()}
	}
}

// outside reports whether the shared file was written or replaced since the account had a link to it, and when anything was done to it
// last: the zero time if nothing was. chmod, ln and touch -a do something, and write nothing.
func (e entry) outside() (written bool, at sys.Timespec) {
	was, ok := e.in.seen[e.seenKey()]
	there := e.there
	switch {
	case ok && (was.Ino == there.Ino && was.Ctime == there.Ctime.Nano() || disk.Older(there.Ctime, e.in.lastLook)):
		return false, at
	case ok && was.Ino == there.Ino && was.Size == there.Size && was.Mtime == there.Mtime.Nano():
		return false, there.Ctime
	}
	return true, there.Ctime
}
