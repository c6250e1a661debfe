//go:build unix

package mirror

import (
	"encoding/json"
	"io/fs"
	"maps"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/account"
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

// readBaseline returns the account's baseline. It is empty where the stamp is missing, foreign, torn or of another version.
func readBaseline(a account.Account) *baseline {
	f := rules.OpenStamp(a)
	defer f.Close()
	return baselineOf(f)
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

// body returns the baseline in the form that the stamp holds.
func (b *baseline) body() ([]byte, error) { return json.Marshal(b) }

// writeStamp writes the baseline if anything changed, and else the header alone.
func (r *reconciler) writeStamp() error {
	h := r.headerAfterScan()
	if !r.changed && r.Stamp != nil {
		r.Stamp.Header = h
		r.Stamp.Renew()
		return nil
	}
	body, err := r.next.body()
	if err != nil {
		return err
	}
	return rules.WriteStamp(r.Account, h, body)
}

// noteMarks notes the state of a view's directories at the start of the scan.
func (r *reconciler) noteMarks(view string, shared, sandbox rules.Fingerprint) {
	if view == "codex" {
		r.marks[rules.SharedCodex], r.marks[rules.SandboxCodex] = shared, sandbox
	} else {
		r.marks[rules.RealHome], r.marks[rules.SandboxHome] = shared, sandbox
	}
}

// markSandboxHome does what noteMarks does, for a sandbox home that shows nothing.
func (r *reconciler) markSandboxHome() {
	var st unix.Stat_t
	err := rules.StatDir(r.Account.Home(), disk.NoFollow, &st)
	r.marks[rules.SandboxHome] = rules.FingerprintOf(&st)
	if err == nil {
		r.marks[rules.SandboxHome].Sum, err = rules.ListSum(r.Account.Home(), disk.NoFollow, rules.NameSum)
	}
	r.fastPath = r.fastPath && err == nil
}

// headerAfterScan returns the header of the stamp after a scan. It has the directories' fingerprints only if the scan found nothing to
// repair and nothing that a later one must look at again.
func (r *reconciler) headerAfterScan() rules.Header {
	h := rules.Header{At: r.next.at, Dev: r.next.dev, Inputs: r.inputsBefore, Pinned: r.pinnedBefore}
	paired := r.next.view("codex").Paired
	if !r.fastPath || len(paired) > 1 {
		return h
	}
	for _, s := range paired {
		h.Paired = s
	}
	h.Dirs, h.Watched = r.marks, r.watches
	for i := range h.Dirs {
		if m := &h.Dirs[i]; !m.Settled(h.At) {
			m.Ctime, m.Mtime = unix.Timespec{}, unix.Timespec{} // the next start lists it again
		}
	}
	return h
}
