//go:build unix

package mirror

import (
	"encoding/json"
	"io/fs"
	"maps"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/home/rules"
)

// baseline is what the last scan of an account saw. It is kept in the account's stamp and may be lost: then of two versions that differ the
// newer one counts. That is why it is never synced.
type baseline struct {
	at      unix.Timespec // when the scan began: see [rules.Header]
	dev     uint64
	Version int
	Views   map[string]*homeBaseline // by [view].name
}

// homeBaseline is what the last scan saw in one of a sandbox's two directories. Names are quoted as Go does: they need not be UTF-8.
type homeBaseline struct {
	Links   map[string]uint64         `json:",omitempty"` // our links, with the shared entries that they led to: see sumOf
	Gone    map[string]uint64         `json:",omitempty"` // those that programs removed or replaced since, as they were noted last
	Paired  map[string]rules.SeenFile `json:",omitempty"` // files that had a name on both sides
	Waiting map[string]obstacle       `json:",omitempty"` // the entries that could not be repaired
}

func emptyBaseline() *baseline {
	return &baseline{Version: rules.BaselineVersion, Views: map[string]*homeBaseline{}}
}

// view returns what was seen in the view called name.
func (b *baseline) view(name string) *homeBaseline {
	if b.Views[name] == nil {
		b.Views[name] = &homeBaseline{}
	}
	return b.Views[name]
}

// equal reports whether both scans saw the same.
func (v *homeBaseline) equal(o *homeBaseline) bool {
	return maps.Equal(v.Links, o.Links) && maps.Equal(v.Gone, o.Gone) && maps.Equal(v.Paired, o.Paired) && maps.Equal(v.Waiting, o.Waiting)
}

// pair notes the file that has both names.
func (v *homeBaseline) pair(name string, i disk.Stat) { put(&v.Paired, name, rules.SeenFileOf(i)) }

// wasPaired reports whether i was the file under both names, and whether nobody wrote to it since.
func (v *homeBaseline) wasPaired(name string, i disk.Stat) (paired, unwritten bool) {
	s, ok := v.Paired[strconv.Quote(name)]
	return ok && i.Exists() && s.Ino == i.Ino, ok && s == rules.SeenFileOf(i)
}

// link notes our link at name, with the sum of the shared entry.
func (v *homeBaseline) link(name string, sum uint64) { put(&v.Links, name, sum) }

// relink notes of the link at name what was noted before.
func (v *homeBaseline) relink(name string, was *homeBaseline) {
	delete(v.Links, strconv.Quote(name))
	if sum, ok := was.Links[strconv.Quote(name)]; ok {
		v.link(name, sum)
	} else if sum, ok := was.Gone[strconv.Quote(name)]; ok {
		put(&v.Gone, name, sum)
	}
}

// links returns the quoted names at which links of ours are or were, with what the last scan that found one saw of the shared entries.
func (v *homeBaseline) links() map[string]uint64 {
	all := maps.Clone(v.Gone)
	if all == nil {
		all = map[string]uint64{}
	}
	maps.Copy(all, v.Links)
	return all
}

// stood reports whether a link of ours was at name.
func (v *homeBaseline) stood(name string) bool {
	_, ok := v.Links[strconv.Quote(name)]
	return ok
}

// hadLink reports whether a link of ours was at name, or was there once and has not come back.
func (v *homeBaseline) hadLink(name string) bool {
	_, gone := v.Gone[strconv.Quote(name)]
	return gone || v.stood(name)
}

// saw reports whether a link of ours was at name, and there is the shared entry as it was when that was last found.
func (v *homeBaseline) saw(name string, there disk.Stat) bool {
	sum, ok := v.Links[strconv.Quote(name)]
	if !ok {
		sum = v.Gone[strconv.Quote(name)]
	}
	return sum != 0 && sum == sumOf(there)
}

// sumOf is a sum of what tells whether an entry is another one or was written, by its inode, size and time of change, never by the clock. The
// time of its inode's change is not in it: it changes with each rename. Nor is its device, see [rules.SeenFile].
func sumOf(i disk.Stat) uint64 {
	sum := i.Ino
	for _, word := range []uint64{uint64(i.Size), uint64(i.Mtime.Sec), uint64(i.Mtime.Nsec)} {
		sum = disk.Mix(sum) ^ word
	}
	return max(disk.Mix(sum), 1)
}

// seenSum is sumOf an entry that a scan sees, 0 for one that was written in the clock's present tick: it may be written again without a trace.
func (b *baseline) seenSum(i disk.Stat) uint64 {
	if !i.Exists() || i.Mtime.Sec <= b.at.Sec && !rules.FingerprintOfStat(disk.Stat{Ctime: i.Mtime}).Settled(b.at) {
		return 0
	}
	return sumOf(i)
}

func put[V any](m *map[string]V, name string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[strconv.Quote(name)] = v
}

// before reports whether i was last changed before the last look at it, a scan or a start, by the clock of its own file system.
func (b *baseline) before(i disk.Stat) bool {
	return b.dev == i.Dev && b.at != unix.Timespec{} && rules.FingerprintOfStat(i).Settled(b.at)
}

// baselineOf returns the baseline that the stamp holds, an empty one if there is no stamp.
func baselineOf(f *rules.File) *baseline {
	if f == nil {
		return emptyBaseline()
	}
	text, err := f.Body()
	b := emptyBaseline()
	if err != nil || json.Unmarshal(text, b) != nil || b.Version != rules.BaselineVersion || b.Views == nil {
		return emptyBaseline()
	}
	b.at, b.dev = f.Header.At, f.Header.Dev
	return b
}

// newBaseline returns an empty baseline with the time at which the scan begins. The time is that of the coarse clock that file systems use
// for their stamps: what changes later has this time or a later one.
func newBaseline(dir string) (*baseline, error) {
	b := emptyBaseline()
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return nil, &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	b.dev = uint64(st.Dev)
	var err error
	b.at, err = disk.FileClock()
	return b, err
}
