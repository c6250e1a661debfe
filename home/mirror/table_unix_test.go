//go:build unix

package mirror

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/disk"
	"swop/home/baseline"
	"swop/home/history"
	"swop/internal/testhome"
)

// tableNames has a name for each way in which the rules treat an entry.
var tableNames = []string{
	"notes", "config.toml", "skills", "sessions", "state_5.sqlite", "x.sqlite-wal", "auth.json", "my-token", "mine.local",
}

// ownStates and sharedStates are what there can be on either side. "newer" and "older" say which file came last; "restored" came last, with an
// older time than the shared one.
var (
	ownStates = []string{
		"absent", "newer", "older", "restored", "same", "dir", "right link", "link to other", "renamed link", "former link",
		"foreign link", "dangling link", "socket", "fifo", "hard link",
	}
	sharedStates = []string{"absent", "file", "dir", "foreign link", "dangling link", "fifo"}
)

// situation is one row of the table: an entry on both sides, and what the baseline says of it.
type situation struct {
	name        string
	own, shared string
	activity    activity
	seen        bool // the entry was not changed for a while
	changed     bool // the shared entry changed since
	atHome      bool // the real home, not the codex home
}

func (s situation) String() string {
	return fmt.Sprintf("%s: own %s, shared %s, activity %d, seen %v, changed %v, home %v", s.name, s.own, s.shared, s.activity, s.seen, s.changed, s.atHome)
}

// possible reports whether the situation can be: there is no content of a file that does not exist.
func (s situation) possible() bool {
	switch {
	case (s.own == "same" || s.own == "hard link") && s.shared != "file":
		return false
	case s.atHome:
		return (s.name == "notes" || s.name == "mine.local") && s.activity != idle && s.own != "former link"
	}
	return s.activity != idle || s.name == "state_5.sqlite" // only where databases move does the server count
}

// situations returns those of an entry that is in this state in the sandbox.
func situations(name, own string) (list []situation) {
	for _, shared := range sharedStates {
		for flags := range 24 {
			s := situation{name, own, shared, activity(flags % 3), flags/3&1 == 1, flags/6&1 == 1, flags/12 == 1}
			if s.possible() {
				list = append(list, s)
			}
		}
	}
	return list
}

func TestEngineTable(t *testing.T) {
	dir := testhome.Scratch(t)
	for _, name := range tableNames {
		for _, own := range ownStates {
			t.Run(name+"/"+own, func(t *testing.T) {
				list := situations(name, own)
				for n, step := testhome.Points(t, 16); n < len(list); n += step {
					list[n].holdsIn(t, dir)
				}
			})
		}
	}
}

// holdsIn builds the situation in dir, reconciles once, and compares the outcome with what the oracle expects.
func (s situation) holdsIn(t *testing.T, dir string) {
	dir, err := os.MkdirTemp(dir, "")
	testhome.NoError(t, err)
	defer func() { testhome.NoError(t, os.RemoveAll(dir)) }()
	w := newWorld(t, dir, "a")
	w.settings.Private = config.Private{CodexHome: append(slices.Clone(privateNames), "mine.local"), Home: []string{"mine.local"}}
	if s.atHome {
		w.settings.Isolation = config.IsolateHome
	}
	s.build(w)
	options := s.activity.options()
	if s.seen {
		options.QuietFor = time.Nanosecond
		testhome.Tick(t)
	}
	err = w.reconcileWith("a", options)
	got, want := s.result(w, err), s.expected().String()
	if got != want {
		t.Errorf("%v\n got %s\nwant %s", s, got, want)
	}
}

func (s situation) sides(w *testWorld) (own, shared string) {
	if s.atHome {
		return w.sandboxHome("a"), w.home
	}
	return w.codex("a"), w.shared
}

const formerHome = "/former/.codex"

// build does a real scan, of the shared entry and our link to it, and then what a program did in the sandbox.
func (s situation) build(w *testWorld) {
	own, shared := s.sides(w)
	w.root.Former = []string{formerHome}
	now := time.Now()
	changedAt := now
	if s.own == "older" {
		changedAt = now.Add(time.Hour)
	}
	buildEntry(w.t, shared, s.name, s.shared, "S", changedAt)
	if s.own == "link to other" || s.own == "renamed link" {
		testhome.PutText(w.t, filepath.Join(shared, "other"), "X")
		setTimes(w.t, filepath.Join(shared, "other"), now.Add(time.Hour))
	}
	testhome.NoError(w.t, w.reconcile("a", busy))
	if s.shared == "absent" {
		testhome.NoError(w.t, os.RemoveAll(filepath.Join(shared, s.name))) // made first
	}
	testhome.NoError(w.t, os.RemoveAll(filepath.Join(own, s.name)))
	s.buildOwn(w, own, shared, now)
	s.buildBaseline(w, shared)
}

func (s situation) buildOwn(w *testWorld, own, shared string, now time.Time) {
	entry := filepath.Join(own, s.name)
	switch s.own {
	case "newer", "older":
		buildEntry(w.t, own, s.name, "file", "O", now)
	case "restored":
		buildEntry(w.t, own, s.name, "file", "O", now.Add(-time.Hour))
	case "same":
		buildEntry(w.t, own, s.name, "file", "S", now)
	case "right link":
		testhome.NoError(w.t, os.Symlink(filepath.Join(shared, s.name), entry))
	case "former link":
		testhome.NoError(w.t, os.Symlink(filepath.Join(formerHome, s.name), entry))
	case "link to other":
		testhome.NoError(w.t, os.Symlink(filepath.Join(shared, "other"), entry))
	case "renamed link":
		testhome.NoError(w.t, os.Rename(filepath.Join(own, "other"), entry))
	case "hard link":
		testhome.NoError(w.t, os.Link(filepath.Join(shared, s.name), entry))
	default:
		buildEntry(w.t, own, s.name, s.own, "O", now.Add(time.Hour))
	}
}

func buildEntry(t testing.TB, dir, name, state, text string, at time.Time) {
	entry := filepath.Join(dir, name)
	switch state {
	case "absent":
		return
	case "file":
		testhome.PutText(t, entry, text)
	case "dir":
		testhome.NoError(t, os.Mkdir(entry, 0o700))
		testhome.PutText(t, filepath.Join(entry, "both"), text)
		testhome.PutText(t, filepath.Join(entry, "in "+text), text)
	case "foreign link":
		testhome.NoError(t, os.Symlink("/usr", entry))
	case "dangling link":
		testhome.NoError(t, os.Symlink("/nowhere/"+text, entry))
	case "fifo":
		testhome.NoError(t, unix.Mkfifo(entry, 0o600))
	case "socket":
		testhome.NoError(t, unix.Mknod(entry, unix.S_IFSOCK|0o600, 0))
	}
	setTimes(t, entry, at)
}

func setTimes(t testing.TB, entry string, at time.Time) {
	ts := unix.NsecToTimespec(at.UnixNano())
	testhome.NoError(t, unix.UtimesNanoAt(unix.AT_FDCWD, entry, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW))
}

// buildBaseline lets the last scan have seen the shared entry as it is, or not.
func (s situation) buildBaseline(w *testWorld, shared string) {
	there, err := disk.Lstat(filepath.Join(shared, s.name))
	testhome.NoError(w.t, err)
	w.changeBaseline("a", func(b *baseline.Baseline) {
		if s.changed {
			b.At = unix.Timespec{}
		}
		for _, v := range b.Views {
			if v.HadLink(s.name) {
				v.Link(s.name, baseline.SumOf(there))
			}
			if s.changed && v.HadLink(s.name) {
				v.Link(s.name, baseline.SumOf(there)+1)
			}
		}
	})
}

// outcome is what the account and the others see after a reconcile, and what was kept.
type outcome struct {
	own, shared, other string
	kept               []string
	again              bool // a second scan finds something
	err                error
}

func (o outcome) String() string {
	slices.Sort(o.kept)
	return fmt.Sprintf("own %s, shared %s, other %s, kept %v, again %v, error %v", o.own, o.shared, o.other, o.kept, o.again, o.err)
}

func (s situation) result(w *testWorld, err error) string {
	own, shared := s.sides(w)
	return outcome{
		own: describe(own, s.name, shared), shared: describe(shared, s.name, shared), other: describe(shared, "other", shared),
		kept: s.keptTexts(w), again: len(w.findings("a")) > 0, err: err,
	}.String()
}

// describe returns an entry in the words of the table.
func describe(dir, name, shared string) string {
	entry := filepath.Join(dir, name)
	info, err := os.Lstat(entry)
	if err != nil {
		return "absent"
	}
	if target, err := os.Readlink(entry); err == nil {
		if rest, ok := strings.CutPrefix(target, shared+"/"); ok {
			target = "shared/" + rest
		}
		return "-> " + target
	}
	if info.IsDir() {
		var inside []string
		list, _ := os.ReadDir(entry)
		for _, child := range list {
			inside = append(inside, child.Name()+"="+testhome.TextOf(filepath.Join(entry, child.Name())))
		}
		return fmt.Sprint(inside)
	}
	if info.Mode().IsRegular() {
		return testhome.TextOf(entry)
	}
	return info.Mode().Type().String()
}

// keptTexts lists the versions that were kept.
func (s situation) keptTexts(w *testWorld) []string {
	var list []string
	_, shared := s.sides(w)
	files, _ := filepath.Glob(filepath.Join(w.kept(), "*", history.FilesDir, "*"))
	for _, file := range files {
		text := describe(filepath.Dir(file), filepath.Base(file), shared)
		if s.ownText() == s.sharedText() && text == s.sharedText() {
			continue // the other of two equal files may be kept, since it may be open
		}
		list = append(list, text)
	}
	return list
}
