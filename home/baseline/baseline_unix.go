//go:build unix

// Package baseline says what the last scan of an account saw. It is kept in the account's stamp and may be lost: then of two versions that differ the
// newer one counts. That is why it is never synced.
package baseline

import (
	"encoding/json"
	"io/fs"
	"iter"
	"maps"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/rules"
)

// Baseline is what one scan of an account saw.
type Baseline struct {
	At      unix.Timespec `json:"-"` // when the scan began, and on which device: see [rules.Header]
	Dev     uint64        `json:"-"`
	Version int
	Views   map[string]*Home // by [rules.View].Name
}

// Home is what the scan saw in one of a sandbox's two directories. Names are quoted as Go does: they need not be UTF-8.
type Home struct {
	Links   map[string]Link           `json:",omitempty"` // our links
	Paired  map[string]rules.SeenFile `json:",omitempty"` // files that had a name on both sides
	Waiting map[string]Obstacle       `json:",omitempty"` // the entries that could not be repaired
}

// Link is a link of ours, or was one.
type Link struct {
	Sum  uint64 `json:",omitempty"` // of the shared entry that it led to when it was last found: see SumOf
	Gone bool   `json:",omitempty"` // a program removed or replaced it since
}

// Obstacle is why an entry waits, and what a person can do about it, "" where the time will do.
type Obstacle struct{ Reason, Do string }

func empty() *Baseline {
	return &Baseline{Version: rules.BaselineVersion, Views: map[string]*Home{}}
}

// View returns what was seen in the view called name.
func (b *Baseline) View(name string) *Home {
	if b.Views[name] == nil {
		b.Views[name] = &Home{}
	}
	return b.Views[name]
}

// Equal reports whether both scans saw the same.
func (v *Home) Equal(o *Home) bool {
	return maps.Equal(v.Links, o.Links) && maps.Equal(v.Paired, o.Paired) && maps.Equal(v.Waiting, o.Waiting)
}

// Pair notes the file that has both names.
func (v *Home) Pair(name string, i disk.Stat) { put(&v.Paired, name, rules.SeenFileOf(i)) }

// WasPaired reports whether i was the file under both names, and whether nobody wrote to it since.
func (v *Home) WasPaired(name string, i disk.Stat) (paired, unwritten bool) {
	s, ok := v.Paired[strconv.Quote(name)]
	return ok && i.Exists() && s.Ino == i.Ino, ok && s == rules.SeenFileOf(i)
}

// Link notes our link at name, with the sum of the shared entry.
func (v *Home) Link(name string, sum uint64) { put(&v.Links, name, Link{Sum: sum}) }

// NoteGone notes that the link at name is gone, with the sum of the shared entry as it was seen last.
func (v *Home) NoteGone(name string, sum uint64) { put(&v.Links, name, Link{Sum: sum, Gone: true}) }

// Relink notes of the link at name what was noted before.
func (v *Home) Relink(name string, was *Home) {
	delete(v.Links, strconv.Quote(name))
	if link, ok := was.Links[strconv.Quote(name)]; ok {
		put(&v.Links, name, link)
	}
}

// AllLinks yields the names at which links of ours are or were, with the sums of the shared entries.
func (v *Home) AllLinks() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for quoted, link := range v.Links {
			if name, err := strconv.Unquote(quoted); err == nil && !yield(name, link.Sum) {
				return
			}
		}
	}
}

// Stood reports whether a link of ours was at name.
func (v *Home) Stood(name string) bool {
	link, ok := v.Links[strconv.Quote(name)]
	return ok && !link.Gone
}

// HadLink reports whether a link of ours was at name, or was there once and has not come back.
func (v *Home) HadLink(name string) bool {
	_, ok := v.Links[strconv.Quote(name)]
	return ok
}

// Saw reports whether a link of ours was at name, and there is the shared entry as it was when that was last found.
func (v *Home) Saw(name string, there disk.Stat) bool {
	sum := v.Links[strconv.Quote(name)].Sum
	return sum != 0 && sum == SumOf(there)
}

// SumOf is a sum of what tells whether an entry is another one or was written, by its inode, size and time of change, never by the clock. The
// time of its inode's change is not in it: it changes with each rename. Nor is its device, see [rules.SeenFile].
func SumOf(i disk.Stat) uint64 {
	sum := i.Ino
	for _, word := range []uint64{uint64(i.Size), uint64(i.Mtime.Sec), uint64(i.Mtime.Nsec)} {
		sum = disk.Mix(sum) ^ word
	}
	return max(disk.Mix(sum), 1)
}

// SeenSum is SumOf an entry that a scan sees, 0 for one that was written in the clock's present tick: it may be written again without a trace.
func (b *Baseline) SeenSum(i disk.Stat) uint64 {
	if !i.Exists() || i.Mtime.Sec <= b.At.Sec && !rules.FingerprintOfStat(disk.Stat{Ctime: i.Mtime}).Settled(b.At) {
		return 0
	}
	return SumOf(i)
}

// Wait notes why an entry waits.
func (v *Home) Wait(name string, o Obstacle) { put(&v.Waiting, name, o) }

func put[V any](m *map[string]V, name string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[strconv.Quote(name)] = v
}

// Before reports whether i was last changed before the last look at it, a scan or a start, by the clock of its own file system.
func (b *Baseline) Before(i disk.Stat) bool {
	return b.Dev == i.Dev && b.At != unix.Timespec{} && rules.FingerprintOfStat(i).Settled(b.At)
}

// Of returns the baseline that the stamp holds, an empty one if there is no stamp.
func Of(f *rules.File) *Baseline {
	if f == nil {
		return empty()
	}
	text, err := f.Body()
	b := empty()
	if err != nil || json.Unmarshal(text, b) != nil || b.Version != rules.BaselineVersion || b.Views == nil {
		return empty()
	}
	b.At, b.Dev = f.Header.At, f.Header.Dev
	return b
}

// New returns an empty baseline with the time at which the scan begins. The time is that of the coarse clock that file systems use
// for their stamps: what changes later has this time or a later one.
func New(dir string) (*Baseline, error) {
	b := empty()
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return nil, &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	b.Dev = uint64(st.Dev)
	var err error
	b.At, err = disk.FileClock()
	return b, err
}
