//go:build unix

package manager

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
)

// tableNames has a name for each way in which the rules treat an entry.
var tableNames = []string{
	"notes", "config.toml", "skills", "sessions", "state_5.sqlite", "x.sqlite-wal", "auth.json", "my-token", "mine.local",
}

// ownStates and sharedStates are what there can be on either side. "newer", "older" and "tied" compare modification times.
var (
	ownStates = []string{
		"absent", "newer", "older", "tied", "same", "dir", "right link", "link to other", "trace", "former link",
		"foreign link", "dangling link", "socket", "fifo", "hard link",
	}
	sharedStates = []string{"absent", "file", "dir", "foreign link", "dangling link", "fifo"}
)

// situation is one row of the table: an entry on both sides, and what is known of it.
type situation struct {
	name        string
	own, shared string
	mood        mood
	seen        bool // the entry waited at the last look
	changed     bool // the shared entry changed since
	atHome      bool // the real home, not the codex home
}

func (s situation) String() string {
	return fmt.Sprintf("%s: own %s, shared %s, mood %d, seen %v, changed %v, home %v", s.name, s.own, s.shared, s.mood, s.seen, s.changed, s.atHome)
}

// possible leaves out what cannot be: the content of a file that is not there.
func (s situation) possible() bool {
	switch {
	case (s.own == "same" || s.own == "hard link") && s.shared != "file":
		return false
	case s.atHome:
		return (s.name == "notes" || s.name == "mine.local") && s.mood != rests && s.own != "former link"
	}
	return s.mood != rests || s.name == "state_5.sqlite" // only where databases move does the server count
}

// situations are those of an entry that is so in the sandbox.
func situations(name, own string) (list []situation) {
	for _, shared := range sharedStates {
		for flags := range 24 {
			s := situation{name, own, shared, mood(flags % 3), flags/3&1 == 1, flags/6&1 == 1, flags/12 == 1}
			if s.possible() {
				list = append(list, s)
			}
		}
	}
	return list
}

func TestEngineTable(t *testing.T) {
	dir := scratch(t)
	for _, name := range tableNames {
		for _, own := range ownStates {
			t.Run(name+"/"+own, func(t *testing.T) {
				for _, s := range situations(name, own) {
					s.holdsIn(t, dir)
				}
			})
		}
	}
}

// scratch is a directory that can be written fast.
func scratch(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "engine")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { noError(t, os.RemoveAll(dir)) })
	return dir
}

// holdsIn builds the situation in dir, reconciles once, and compares with what the oracle expects.
func (s situation) holdsIn(t *testing.T, dir string) {
	dir, err := os.MkdirTemp(dir, "")
	noError(t, err)
	defer func() { noError(t, os.RemoveAll(dir)) }()
	w := newWorld(t, dir, "a")
	w.settings.Private = config.Private{CodexHome: append(slices.Clone(quietNames), "mine.local"), Home: []string{"mine.local"}}
	if s.atHome {
		w.settings.Isolation = config.IsolateHome
	}
	s.build(w)
	err = w.reconcile("a", s.mood)
	got, want := s.result(w, err), s.expected().String()
	if got != want {
		t.Errorf("%v\n got %s\nwant %s", s, got, want)
	}
}

func (s situation) sides(w *world) (own, shared string) {
	if s.atHome {
		return w.accounts["a"].Home(), w.home
	}
	return w.codex("a"), w.shared
}

const formerHome = "/former/.codex"

// build makes the last look a real one, of the shared entry and our link to it, and then what a program did in the sandbox.
func (s situation) build(w *world) {
	own, shared := s.sides(w)
	w.root.Former = []string{formerHome}
	now := time.Now()
	buildEntry(w.t, shared, s.name, s.shared, "S", now)
	if s.own == "link to other" || s.own == "trace" {
		putText(w.t, filepath.Join(shared, "other"), "X")
		setTimes(w.t, filepath.Join(shared, "other"), now.Add(time.Hour))
	}
	noError(w.t, w.reconcile("a", busy))
	if s.shared == "absent" {
		noError(w.t, os.RemoveAll(filepath.Join(shared, s.name))) // made first
	}
	noError(w.t, os.RemoveAll(filepath.Join(own, s.name)))
	s.buildOwn(w, own, shared, now)
	s.buildMemory(w, own)
}

func (s situation) buildOwn(w *world, own, shared string, now time.Time) {
	entry := filepath.Join(own, s.name)
	switch s.own {
	case "newer", "older", "tied":
		shift := map[string]time.Duration{"newer": time.Hour, "older": -time.Hour}[s.own]
		buildEntry(w.t, own, s.name, "file", "O", now.Add(shift))
	case "same":
		buildEntry(w.t, own, s.name, "file", "S", now)
	case "right link":
		noError(w.t, os.Symlink(filepath.Join(shared, s.name), entry))
	case "former link":
		noError(w.t, os.Symlink(filepath.Join(formerHome, s.name), entry))
	case "link to other":
		noError(w.t, os.Symlink(filepath.Join(shared, "other"), entry))
	case "trace":
		noError(w.t, os.Rename(filepath.Join(own, "other"), entry))
	case "hard link":
		noError(w.t, os.Link(filepath.Join(shared, s.name), entry))
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
		putText(t, entry, text)
	case "dir":
		noError(t, os.Mkdir(entry, 0o700))
		putText(t, filepath.Join(entry, "both"), text)
		putText(t, filepath.Join(entry, "in "+text), text)
	case "foreign link":
		noError(t, os.Symlink("/usr", entry))
	case "dangling link":
		noError(t, os.Symlink("/nowhere/"+text, entry))
	case "fifo":
		noError(t, unix.Mkfifo(entry, 0o600))
	case "socket":
		noError(t, unix.Mknod(entry, unix.S_IFSOCK|0o600, 0))
	}
	setTimes(t, entry, at)
}

func setTimes(t testing.TB, entry string, at time.Time) {
	ts := unix.NsecToTimespec(at.UnixNano())
	noError(t, unix.UtimesNanoAt(unix.AT_FDCWD, entry, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW))
}

// buildMemory moves the last look after or before the last change of the shared entry, and lets it have seen the own one or not.
func (s situation) buildMemory(w *world, own string) {
	a := w.accounts["a"]
	last := readMemory(a)
	if s.changed {
		last.at.Sec -= 3600
	} else {
		tick(w.t)
		var err error
		last.at, err = coarseNow()
		noError(w.t, err)
	}
	if s.seen {
		d, err := openFolder(own, refuseLink)
		noError(w.t, err)
		defer d.close()
		i, err := d.stat(s.name)
		noError(w.t, err)
		last.view("codex").wait(s.name, i)
		last.view("home").wait(s.name, i)
	}
	body, err := last.body()
	noError(w.t, err)
	noError(w.t, writeStamp(a, head{at: last.at, dev: last.dev}, body))
}

// outcome is what the account and the others see then, and what is kept aside.
type outcome struct {
	own, shared, other string
	aside              []string
	again              bool // a second look finds something
	err                error
}

func (o outcome) String() string {
	slices.Sort(o.aside)
	return fmt.Sprintf("own %s, shared %s, other %s, aside %v, again %v, error %v", o.own, o.shared, o.other, o.aside, o.again, o.err)
}

func (s situation) result(w *world, err error) string {
	own, shared := s.sides(w)
	return outcome{
		own: describe(own, s.name, shared), shared: describe(shared, s.name, shared), other: describe(shared, "other", shared),
		aside: s.keptAside(w), again: len(w.findings("a")) > 0, err: err,
	}.String()
}

// describe gives an entry in the words of the table.
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
			inside = append(inside, child.Name()+"="+textOf(filepath.Join(entry, child.Name())))
		}
		return fmt.Sprint(inside)
	}
	if info.Mode().IsRegular() {
		return textOf(entry)
	}
	return info.Mode().Type().String()
}

// keptAside lists what is under displaced/, without the directories of account, time and view.
func (s situation) keptAside(w *world) []string {
	var list []string
	_, shared := s.sides(w)
	dirs, _ := filepath.Glob(filepath.Join(w.displaced(), "a", "*", "*"))
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			text := describe(dir, entry.Name(), shared)
			if s.ownText() == s.sharedText() && text == s.sharedText() {
				continue // the other of two equal files may be kept, since it may be open
			}
			list = append(list, text)
		}
	}
	return list
}
