//go:build unix

package manager

import (
	"encoding/json"
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"
)

// memory is what the last look at an account saw, kept in its stamp. It may be lost: then what waited waits once more, and where two
// versions differ both are kept. It is never synced for that reason.
type memory struct {
	at      unix.Timespec // see [head]
	dev     uint64
	Version int
	Views   map[string]*viewMemory // by [view].name
}

// viewMemory is what was seen in one of a sandbox's two directories. Names are quoted as Go does: they need not be UTF-8.
type viewMemory struct {
	Waiting map[string]seen     `json:",omitempty"` // new entries that may still be written
	Paired  map[string]seen     `json:",omitempty"` // files that had a name on both sides
	Placed  map[string]seen     `json:",omitempty"` // shared files as the reconcile itself left them
	Links   map[string]linkMark `json:",omitempty"` // our links
}

// seen is what of an item tells whether it is the same, and unwritten.
type seen struct {
	Dev, Ino  uint64
	Size      int64
	Sec, Ns   int64
	CSec, CNs int64 `json:",omitempty"`
}

func seenOf(i item) seen {
	return seen{Dev: i.dev, Ino: i.ino, Size: i.size, Sec: int64(i.mtime.Sec), Ns: int64(i.mtime.Nsec)}
}

// memoryVersion changes with the meaning of the fields: another version is no memory.
const memoryVersion = 4

// maxMemory bounds the stamp: one name of each of 10,000 waiting entries.
const maxMemory = 8 << 20

func noMemory() *memory { return &memory{Version: memoryVersion, Views: map[string]*viewMemory{}} }

// view returns what was seen in the directory called name.
func (m *memory) view(name string) *viewMemory {
	if m.Views[name] == nil {
		m.Views[name] = &viewMemory{}
	}
	return m.Views[name]
}

func (v *viewMemory) waited(name string, i item) bool {
	return v.Waiting[strconv.Quote(name)] == seenOf(i)
}

func (v *viewMemory) wait(name string, i item) { put(&v.Waiting, name, i) }
func (v *viewMemory) pair(name string, i item) { put(&v.Paired, name, i) }

// wasPaired reports whether i was the file under both names; unwritten, whether it was not written since.
func (v *viewMemory) wasPaired(name string, i item) (paired, unwritten bool) {
	s, ok := v.Paired[strconv.Quote(name)]
	return ok && i.exists() && s.Dev == i.dev && s.Ino == i.ino, ok && s == seenOf(i)
}

// link notes our link at name.
func (v *viewMemory) link(name string, mark linkMark) {
	if v.Links == nil {
		v.Links = map[string]linkMark{}
	}
	v.Links[strconv.Quote(name)] = mark
}

// wasLink reports whether this link was ours at name.
func (v *viewMemory) wasLink(name string, mark linkMark) bool {
	was, ok := v.Links[strconv.Quote(name)]
	return ok && was == mark
}

// hadLink reports whether our link was at name.
func (v *viewMemory) hadLink(name string) bool {
	_, ok := v.Links[strconv.Quote(name)]
	return ok
}

// place notes the shared file at name as the reconcile left it, unless it was written in the same tick of the clock: then a later write
// need not show in its times.
func (v *viewMemory) place(name string, i item) {
	if !older(i.mtime, i.ctime) {
		return
	}
	put(&v.Placed, name, i)
	s := v.Placed[strconv.Quote(name)]
	s.CSec, s.CNs = int64(i.ctime.Sec), int64(i.ctime.Nsec)
	v.Placed[strconv.Quote(name)] = s
}

// isPlaced reports whether i is the shared file as the last reconcile left it.
func (v *viewMemory) isPlaced(name string, i item) bool {
	s, ok := v.Placed[strconv.Quote(name)]
	want := seenOf(i)
	want.CSec, want.CNs = int64(i.ctime.Sec), int64(i.ctime.Nsec)
	return ok && s == want
}

func put(m *map[string]seen, name string, i item) {
	if *m == nil {
		*m = map[string]seen{}
	}
	(*m)[strconv.Quote(name)] = seenOf(i)
}

// before reports whether i was last changed before the look, by the clock of its own file system.
func (m *memory) before(i item) bool {
	return m.dev == i.dev && m.at != unix.Timespec{} && markOfItem(i).settled(m.at)
}

func older(a, b unix.Timespec) bool {
	return a.Sec < b.Sec || a.Sec == b.Sec && a.Nsec < b.Nsec
}

// readMemory returns the account's memory; a stamp that is missing, foreign, torn or of another version is no memory.
func readMemory(a Account) *memory {
	f := openStamp(a)
	defer f.close()
	return f.memory()
}

// memory returns the second part of the stamp.
func (f *stampFile) memory() *memory {
	if f == nil {
		return noMemory()
	}
	text, err := f.body()
	m := noMemory()
	if err != nil || json.Unmarshal(text, m) != nil || m.Version != memoryVersion || m.Views == nil {
		return noMemory()
	}
	m.at, m.dev = f.head.at, f.head.dev
	return m
}

// began is the time at which a look begins, by the coarse clock that file systems stamp with: what changes later has it or a later one.
func began(dir string) (memory, error) {
	m := *noMemory()
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return m, &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	m.dev = itemOf(&st).dev
	var err error
	m.at, err = coarseNow()
	return m, err
}

// body is the memory as a stamp has it.
func (m *memory) body() ([]byte, error) { return json.Marshal(m) }
