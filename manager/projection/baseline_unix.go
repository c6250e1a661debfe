//go:build unix

package projection

import (
	"encoding/json"
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"

	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/stamp"
)

// baseline is what the last scan of an account saw. It is kept in the account's stamp and may be lost: then an entry that waits has to wait
// once more, and of two versions that differ both are kept. That is why it is never synced.
type baseline struct {
	at      unix.Timespec // when the scan began: see [stamp.Header]
	dev     uint64
	Version int
	Views   map[string]*homeBaseline // by [view].name
}

// homeBaseline is what the last scan saw in one of a sandbox's two directories. Names are quoted as Go does: they need not be UTF-8.
type homeBaseline struct {
	Waiting map[string]stamp.SeenFile `json:",omitempty"` // new entries that may still be written
	Paired  map[string]stamp.SeenFile `json:",omitempty"` // files that had a name on both sides
	Placed  map[string]stamp.SeenFile `json:",omitempty"` // shared files as the reconcile itself left them
	Links   map[string]linkMark       `json:",omitempty"` // our links
}

func emptyBaseline() *baseline {
	return &baseline{Version: stamp.BaselineVersion, Views: map[string]*homeBaseline{}}
}

// view returns what was seen in the view called name.
func (b *baseline) view(name string) *homeBaseline {
	if b.Views[name] == nil {
		b.Views[name] = &homeBaseline{}
	}
	return b.Views[name]
}

// waited reports whether i waited at the last scan already, unchanged.
func (v *homeBaseline) waited(name string, i disk.Stat) bool {
	return v.Waiting[strconv.Quote(name)] == stamp.SeenFileOf(i)
}

// wait notes an entry that is not moved yet.
func (v *homeBaseline) wait(name string, i disk.Stat) { put(&v.Waiting, name, stamp.SeenFileOf(i)) }

// pair notes the file that has both names.
func (v *homeBaseline) pair(name string, i disk.Stat) { put(&v.Paired, name, stamp.SeenFileOf(i)) }

// wasPaired reports whether i was the file under both names, and whether nobody wrote to it since.
func (v *homeBaseline) wasPaired(name string, i disk.Stat) (paired, unwritten bool) {
	s, ok := v.Paired[strconv.Quote(name)]
	return ok && i.Exists() && s.Dev == i.Dev && s.Ino == i.Ino, ok && s == stamp.SeenFileOf(i)
}

// link notes our link at name.
func (v *homeBaseline) link(name string, mark linkMark) { put(&v.Links, name, mark) }

// wasLink reports whether our link at name was this one.
func (v *homeBaseline) wasLink(name string, mark linkMark) bool {
	was, ok := v.Links[strconv.Quote(name)]
	return ok && was == mark
}

// hadLink reports whether a link of ours was at name.
func (v *homeBaseline) hadLink(name string) bool {
	_, ok := v.Links[strconv.Quote(name)]
	return ok
}

// place notes the shared file at name as the reconcile left it. A file that was written in the same clock tick is not noted: a later write
// might not show in its times.
func (v *homeBaseline) place(name string, i disk.Stat) {
	if disk.Older(i.Mtime, i.Ctime) {
		put(&v.Placed, name, placedOf(i))
	}
}

// isPlaced reports whether i is the shared file as the last reconcile left it.
func (v *homeBaseline) isPlaced(name string, i disk.Stat) bool {
	s, ok := v.Placed[strconv.Quote(name)]
	return ok && s == placedOf(i)
}

// placedOf returns a file with its ctime too.
func placedOf(i disk.Stat) stamp.SeenFile {
	s := stamp.SeenFileOf(i)
	s.CSec, s.CNs = int64(i.Ctime.Sec), int64(i.Ctime.Nsec)
	return s
}

func put[V any](m *map[string]V, name string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[strconv.Quote(name)] = v
}

// before reports whether i was last changed before the scan, by the clock of its own file system.
func (b *baseline) before(i disk.Stat) bool {
	return b.dev == i.Dev && b.at != unix.Timespec{} && stamp.FingerprintOfStat(i).Settled(b.at)
}

// readBaseline returns the account's baseline. It is empty where the stamp is missing, foreign, torn or of another version.
func readBaseline(a account.Account) *baseline {
	f := stamp.OpenStamp(a)
	defer f.Close()
	return baselineOf(f)
}

// baselineOf returns the baseline that the stamp holds, an empty one if there is no stamp.
func baselineOf(f *stamp.File) *baseline {
	if f == nil {
		return emptyBaseline()
	}
	text, err := f.Body()
	b := emptyBaseline()
	if err != nil || json.Unmarshal(text, b) != nil || b.Version != stamp.BaselineVersion || b.Views == nil {
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
	return stamp.WriteStamp(r.Account, h, body)
}

// noteMarks notes the state of a view's directories at the start of the scan.
func (r *reconciler) noteMarks(view string, shared, sandbox stamp.Fingerprint) {
	if view == "codex" {
		r.marks[stamp.SharedCodex], r.marks[stamp.SandboxCodex] = shared, sandbox
	} else {
		r.marks[stamp.RealHome], r.marks[stamp.SandboxHome] = shared, sandbox
	}
}

// markSandboxHome does what noteMarks does, for a sandbox home that shows nothing.
func (r *reconciler) markSandboxHome() {
	var st unix.Stat_t
	err := stamp.StatDir(r.Account.Home(), disk.NoFollow, &st)
	r.marks[stamp.SandboxHome] = stamp.FingerprintOf(&st)
	if err == nil {
		r.marks[stamp.SandboxHome].Sum, err = stamp.ListSum(r.Account.Home(), disk.NoFollow, stamp.NameSum)
	}
	r.fastPath = r.fastPath && err == nil
}

// headerAfterScan returns the header of the stamp after a scan. It has the directories' fingerprints only if the scan found nothing to
// repair and nothing that a later one must look at again.
func (r *reconciler) headerAfterScan() stamp.Header {
	h := stamp.Header{At: r.next.at, Dev: r.next.dev, Inputs: r.inputsBefore, Pinned: r.pinnedBefore}
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
