package join

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/account"
	"swop/disk"
	"swop/disk/sys"
	"swop/home/history"
	"swop/internal/testhome"
)

// world is a shared home with two accounts. The engine is the one that Windows has: only junctions are links here, which disk makes of them.
type world struct {
	t       *testing.T
	layout  account.Layout
	root    account.Root
	now     time.Time
	said    []string
	private []string
}

const (
	sharedHome = ""
	one, two   = "one", "two"
)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, layout: account.Layout{Places: testhome.Places(t)}, now: time.Now()}
	for _, dir := range []string{w.home(sharedHome), w.home(one), w.home(two), w.layout.Path("locks"), w.layout.Path(history.RootDir)} {
		testhome.NoError(t, os.MkdirAll(dir, 0o700))
	}
	var st sys.Stat_t
	testhome.NoError(t, sys.Stat(w.home(sharedHome), &st))
	w.root.SharedHome = account.SharedHome{Path: w.home(sharedHome), Device: uint64(st.Dev), Inode: st.Ino}
	return w
}

func (w *world) home(key string) string {
	if key == sharedHome {
		return filepath.Join(w.layout.Home, ".codex")
	}
	a := w.account(key)
	return a.CodexHome()
}

func (w *world) account(key string) account.Account {
	return account.Account{Key: key, Dir: w.layout.AccountDir(key), Meta: account.Meta{Label: key, Key: key, State: account.StateShared}}
}

func (w *world) options(key string) Options {
	return Options{
		Layout: w.layout, Account: w.account(key), Root: w.root, Private: w.private, Idle: func() (bool, error) { return true, nil },
		Say: func(line string) { w.said = append(w.said, line) }, Unlinkable: func(string) string { return "" }, Clock: func() time.Time { return w.now },
	}
}

// start reconciles the accounts, one after the other.
func (w *world) start(keys ...string) {
	w.t.Helper()
	for _, key := range keys {
		if _, err := Reconcile(w.options(key)); err != nil {
			w.t.Fatalf("Reconcile %s: %v", key, err)
		}
	}
}

// put replaces a file as programs do, by a rename. It was written so many minutes after the others.
func (w *world) put(key, name, text string, minutes int) {
	w.t.Helper()
	file := filepath.Join(w.home(key), name)
	testhome.NoError(w.t, os.MkdirAll(filepath.Dir(file), 0o700))
	testhome.PutText(w.t, file+".tmp", text)
	at := w.now.Add(time.Duration(minutes) * time.Minute)
	testhome.NoError(w.t, os.Chtimes(file+".tmp", at, at))
	testhome.NoError(w.t, os.Rename(file+".tmp", file))
}

// want fails unless the file has this text in the homes, "" for none.
func (w *world) want(name, text string, keys ...string) {
	w.t.Helper()
	for _, key := range keys {
		if got, err := os.ReadFile(filepath.Join(w.home(key), name)); string(got) != text || (err != nil) != (text == "") {
			w.t.Errorf("%s of %q is %q, %v, want %q", name, key, got, err, text)
		}
	}
}

// kept fails unless the history has this text so many times.
func (w *world) kept(text string, times int) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.layout.Path(history.RootDir), "*", history.FilesDir, "*"))
	testhome.NoError(w.t, err)
	n := 0
	for _, file := range files {
		if testhome.TextOf(file) == text {
			n++
		}
	}
	if n != times {
		w.t.Errorf("the history has %q %d times, want %d", text, n, times)
	}
}

// quiet fails if a version was said to be kept.
func (w *world) quiet() {
	w.t.Helper()
	if len(w.said) > 0 {
		w.t.Errorf("said %q", w.said)
	}
}

func TestReplacedInside(t *testing.T) {
	w := newWorld(t)
	w.put(sharedHome, "config.toml", "old", 0)
	w.start(one, two)
	w.put(one, "config.toml", "new", -5) // even with an earlier time: it replaced the version that it had
	w.start(one, two)
	w.want("config.toml", "new", sharedHome, one, two)
	w.kept("old", 1)
	w.quiet()
}

func TestReplacedOutside(t *testing.T) {
	w := newWorld(t)
	w.put(sharedHome, "config.toml", "old", 0)
	w.start(one)
	w.put(sharedHome, "config.toml", "new", -5)
	w.start(one)
	w.want("config.toml", "new", sharedHome, one)
	w.quiet()
}

// Of two versions the later one is shared, and the other is kept.
func TestReplacedInBoth(t *testing.T) {
	for _, session := range []int{1, 3} {
		w := newWorld(t)
		w.put(sharedHome, "config.toml", "old", 0)
		w.start(one)
		w.put(sharedHome, "config.toml", "outside", 2)
		w.put(one, "config.toml", "inside", session)
		w.start(one)
		later, other := "outside", "inside"
		if session > 2 {
			later, other = other, later
		}
		w.want("config.toml", later, sharedHome, one)
		w.kept(other, 1)
		if len(w.said) != 1 || !strings.Contains(w.said[0], "two versions") {
			t.Errorf("said %q", w.said)
		}
	}
}

// What was noted of the links is lost: both count as changed, and none of the versions is lost.
func TestLostNotes(t *testing.T) {
	for _, text := range []string{"", "{torn"} {
		w := newWorld(t)
		w.put(sharedHome, "config.toml", "old", 0)
		w.start(one)
		w.put(one, "config.toml", "new", 1)
		testhome.NoError(t, os.WriteFile(filepath.Join(w.account(one).Dir, linkedName), []byte(text), 0o600))
		w.start(one)
		w.want("config.toml", "new", sharedHome, one)
		w.kept("old", 1)
	}
}

// While a session runs, links are made, and nothing is moved.
func TestBusy(t *testing.T) {
	w := newWorld(t)
	w.put(sharedHome, "config.toml", "old", 0)
	w.start(one)
	w.put(one, "config.toml", "new", 1)
	w.put(sharedHome, "AGENTS.md", "text", 0)
	o := w.options(one)
	o.Idle = func() (bool, error) { return false, nil }
	if _, err := Reconcile(o); err != nil {
		t.Fatal(err)
	}
	w.want("config.toml", "old", sharedHome)
	w.want("AGENTS.md", "text", one)
	w.kept("old", 0)
}

// A login, a database and what the user made private are the account's own; they are neither shown nor shared.
func TestOwn(t *testing.T) {
	w := newWorld(t)
	w.private = []string{"notes"}
	for _, name := range []string{"auth.json", "state_5.sqlite", "notes"} {
		w.put(sharedHome, name, "outside", 0)
		w.put(one, name, "inside", 1)
	}
	w.start(one, two)
	for _, name := range []string{"auth.json", "state_5.sqlite", "notes"} {
		w.want(name, "outside", sharedHome)
		w.want(name, "inside", one)
		w.want(name, "", two)
	}
	w.quiet()
}

// Directories that codex appends to are merged; what has the name of another stays with the account's version, which is kept.
func TestMerged(t *testing.T) {
	w := newWorld(t)
	w.put(sharedHome, "sessions/2026/a.jsonl", "a", 0)
	w.put(one, "sessions/2026/b.jsonl", "b", 0)
	w.put(one, "sessions/2026/a.jsonl", "another", 0)
	w.put(one, "made", "new", 0)
	w.start(one, two)
	w.want("sessions/2026/a.jsonl", "a", sharedHome, one, two)
	w.want("sessions/2026/b.jsonl", "b", sharedHome, one, two)
	w.want("made", "new", sharedHome, one, two)
	found := false
	_ = filepath.WalkDir(w.layout.Path(history.RootDir), func(path string, _ os.DirEntry, _ error) error {
		found = found || filepath.Base(path) == "a.jsonl" && testhome.TextOf(path) == "another"
		return nil
	})
	if !found {
		t.Error("the account's version of a.jsonl is lost")
	}
}

// The set-up of codex's sandbox: the marker goes last, and a half one is not shared.
func TestSetup(t *testing.T) {
	w := newWorld(t)
	w.start(one, two)
	w.put(one, ".sandbox-secrets/users", "secret", 0)
	w.put(one, ".sandbox-bin/runner", "program", 0)
	w.put(one, ".sandbox/sandbox.log", "log", 0)
	w.start(one)
	w.want(".sandbox-secrets/users", "", sharedHome)
	w.put(one, ".sandbox/setup_marker.json", "1", 0)
	w.start(one, two)
	for name, text := range map[string]string{".sandbox-secrets/users": "secret", ".sandbox-bin/runner": "program", ".sandbox/setup_marker.json": "1"} {
		w.want(name, text, sharedHome, one, two)
	}
	w.want(".sandbox/sandbox.log", "", sharedHome, two)
	w.put(two, ".sandbox/setup_marker.json", "2", 1) // set up again, in the other account
	w.start(two, one)
	w.want(".sandbox/setup_marker.json", "2", sharedHome, one, two)
}

// A junction that leads elsewhere is made again, and what it led to stays.
func TestWrongLink(t *testing.T) {
	w := newWorld(t)
	w.put(sharedHome, "skills/a", "a", 0)
	elsewhere := testhome.Scratch(t)
	testhome.PutText(t, filepath.Join(elsewhere, "b"), "b")
	own, err := disk.Open(w.home(one), disk.NoFollow)
	testhome.NoError(t, err)
	testhome.NoError(t, errors.Join(own.Symlink(elsewhere, "skills"), own.Close()))
	w.start(one)
	w.want("skills/a", "a", one)
	if testhome.TextOf(filepath.Join(elsewhere, "b")) != "b" {
		t.Error("what the link led to is gone")
	}
}

// An entry that cannot be repaired is named with its reason, and stops no other.
func TestWaits(t *testing.T) {
	w := newWorld(t)
	w.start(one)
	w.put(one, "config.toml", "new", 0)
	w.put(one, "made", "new", 0)
	o := w.options(one)
	testhome.NoError(t, os.MkdirAll(filepath.Join(w.home(sharedHome), "config.toml"), 0o700)) // a directory where a file should go
	testhome.NoError(t, os.RemoveAll(w.layout.Path(history.RootDir)))
	testhome.PutText(t, w.layout.Path(history.RootDir), "no directory, so that nothing can be kept")
	if _, err := Reconcile(o); err != nil {
		t.Fatal(err)
	}
	w.want("made", "new", sharedHome)
	w.want("config.toml", "new", one)
	if last := w.said[len(w.said)-1]; !strings.Contains(last, `"config.toml" waits to be shared: `) {
		t.Errorf("said %q", w.said)
	}
}

// Homes that cannot be linked are refused with the reason, and nothing is changed.
func TestVolumes(t *testing.T) {
	w := newWorld(t)
	w.put(sharedHome, "config.toml", "text", 0)
	o := w.options(one)
	o.Unlinkable = func(string) string { return "is on a disk with the file system FAT32, which has no links" }
	if _, err := Reconcile(o); !errors.Is(err, disk.ErrUnsafe) || !strings.Contains(err.Error(), "FAT32") {
		t.Errorf("on FAT: %v", err)
	}
	for same, other := range map[uint64]uint64{7: 7, 8: 7} {
		err := sameVolume("C:\\home", "D:\\root", same, other)
		if (err == nil) != (same == other) || err != nil && !strings.Contains(err.Error(), "two volumes") {
			t.Errorf("volumes %d and %d: %v", same, other, err)
		}
	}
	if err := CheckVolumes(w.home(sharedHome), filepath.Join(w.layout.Root, "to", "come"), func(string) string { return "" }); err != nil {
		t.Errorf("a root that is missing: %v", err)
	}
	w.want("config.toml", "", one)
}

// Killed between any two of its steps, the next run shares what was to be shared: the notes are written last.
func TestNotesAreLast(t *testing.T) {
	w := newWorld(t)
	w.put(sharedHome, "config.toml", "old", 0)
	w.start(one)
	var notes map[string]seen
	testhome.NoError(t, json.Unmarshal([]byte(testhome.TextOf(filepath.Join(w.account(one).Dir, linkedName))), &notes))
	if len(notes) != 1 || notes["config.toml"].Size != 3 {
		t.Errorf("the notes are %v", notes)
	}
	if changed, err := Reconcile(w.options(one)); changed || err != nil {
		t.Errorf("a second run: %t, %v", changed, err)
	}
}

func TestExamine(t *testing.T) {
	w := newWorld(t)
	w.put(one, "made", "new", 0)
	var names []string
	err := Examine(w.options(one), func(name, _ string) { names = append(names, name) })
	if err != nil || !slices.Equal(names, []string{"made"}) {
		t.Errorf("Examine tells of %q, %v", names, err)
	}
	w.want("made", "", sharedHome)
}
