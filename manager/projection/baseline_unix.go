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

// baseline is what the last look at an account saw, kept in its stamp. It may be lost: then what waited waits once more, and where two
// versions differ both are kept. It is never synced for that reason.
type baseline struct {
	at      unix.Timespec // see [head]
	dev     uint64
	Version int
	Views   map[string]*homeBaseline // by [view].name
}

// homeBaseline is what was seen in one of a sandbox's two directories. Names are quoted as Go does: they need not be UTF-8.
type homeBaseline struct {
	Waiting map[string]stamp.SeenFile `json:",omitempty"` // new entries that may still be written
	Paired  map[string]stamp.SeenFile `json:",omitempty"` // files that had a name on both sides
	Placed  map[string]stamp.SeenFile `json:",omitempty"` // shared files as the reconcile itself left them
	Links   map[string]linkMark       `json:",omitempty"` // our links
}

func emptyBaseline() *baseline {
	return &baseline{Version: stamp.BaselineVersion, Views: map[string]*homeBaseline{}}
}

// view returns what was seen in the directory called name.
func (b *baseline) view(name string) *homeBaseline {
	if b.Views[name] == nil {
		b.Views[name] = &homeBaseline{}
	}
	return b.Views[name]
}

func (v *homeBaseline) waited(name string, i disk.Stat) bool {
	return v.Waiting[strconv.Quote(name)] == stamp.SeenFileOf(i)
}

func (v *homeBaseline) wait(name string, i disk.Stat) { put(&v.Waiting, name, i) }

func (v *homeBaseline) pair(name string, i disk.Stat) { put(&v.Paired, name, i) }

// wasPaired reports whether i was the file under both names; unwritten, whether it was not written since.
func (v *homeBaseline) wasPaired(name string, i disk.Stat) (paired, unwritten bool) {
	s, ok := v.Paired[strconv.Quote(name)]
	return ok && i.Exists() && s.Dev == i.Dev && s.Ino == i.Ino, ok && s == stamp.SeenFileOf(i)
}

// link notes our link at name.
func (v *homeBaseline) link(name string, mark linkMark) {
	if v.Links == nil {
		v.Links = map[string]linkMark{}
	}
	v.Links[strconv.Quote(name)] = mark
}

// wasLink reports whether this link was ours at name.
func (v *homeBaseline) wasLink(name string, mark linkMark) bool {
	was, ok := v.Links[strconv.Quote(name)]
	return ok && was == mark
}

// hadLink reports whether our link was at name.
func (v *homeBaseline) hadLink(name string) bool {
	_, ok := v.Links[strconv.Quote(name)]
	return ok
}

// place notes the shared file at name as the reconcile left it, unless it was written in the same tick of the clock: then a later write
// need not show in its times.
func (v *homeBaseline) place(name string, i disk.Stat) {
	if !disk.Older(i.Mtime, i.Ctime) {
		return
	}
	put(&v.Placed, name, i)
	s := v.Placed[strconv.Quote(name)]
	s.CSec, s.CNs = int64(i.Ctime.Sec), int64(i.Ctime.Nsec)
	v.Placed[strconv.Quote(name)] = s
}

// isPlaced reports whether i is the shared file as the last reconcile left it.
func (v *homeBaseline) isPlaced(name string, i disk.Stat) bool {
	s, ok := v.Placed[strconv.Quote(name)]
	want := stamp.SeenFileOf(i)
	want.CSec, want.CNs = int64(i.Ctime.Sec), int64(i.Ctime.Nsec)
	return ok && s == want
}

func put(m *map[string]stamp.SeenFile, name string, i disk.Stat) {
	if *m == nil {
		*m = map[string]stamp.SeenFile{}
	}
	(*m)[strconv.Quote(name)] = stamp.SeenFileOf(i)
}

// before reports whether i was last changed before the look, by the clock of its own file system.
func (b *baseline) before(i disk.Stat) bool {
	return b.dev == i.Dev && b.at != unix.Timespec{} && stamp.FingerprintOfStat(i).Settled(b.at)
}

// readBaseline returns the account's memory; a stamp that is missing, foreign, torn or of another version is no memory.
func readBaseline(a account.Account) *baseline {
	f := stamp.OpenStamp(a)
	defer f.Close()
	return baselineOf(f)
}

// baselineOf returns the second part of the stamp.
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

// newBaseline is the time at which a look begins, by the coarse clock that file systems stamp with: what changes later has it or a later one.
func newBaseline(dir string) (*baseline, error) {
	b := emptyBaseline()
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return nil, &fs.PathError{Op: "lstat", Path: dir, Err: err}
	}
	b.dev = disk.StatOf(&st).Dev
	var err error
	b.at, err = disk.FileClock()
	return b, err
}

// body is the memory as a stamp has it.
func (b *baseline) body() ([]byte, error) { return json.Marshal(b) }
