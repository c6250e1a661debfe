//go:build unix

package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/disk"
	"swop/home/rules"
	"swop/internal/testhome"
)

// testHomes is the shared codex home and that of a sandbox, with a directory outside of both.
type testHomes struct {
	store                    store.Store
	account                  account.Account
	root                     account.Root
	shared, sandbox, outside string
}

func newTestHomes(t *testing.T) testHomes {
	t.Helper()
	w := newWorld(t, testhome.Scratch(t), "work")
	outside := filepath.Join(filepath.Dir(w.home), "outside")
	testhome.PutFile(t, filepath.Join(outside, "file"), "outside")
	return testHomes{w.store, w.accounts["work"], w.root, w.shared, w.codex("work"), outside}
}

// reset removes what a case made, and the account's baseline.
func (p testHomes) reset(t *testing.T) {
	t.Helper()
	for _, dir := range []string{p.shared, p.sandbox} {
		if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	for _, left := range []string{filepath.Join(p.store.Path("kept"), p.account.Key), filepath.Join(p.account.Dir, "stamp"), filepath.Join(p.account.Dir, "pinned")} {
		if err := os.RemoveAll(left); err != nil {
			t.Fatal(err)
		}
	}
}

// reconcile reconciles the codex home alone, while nothing runs.
func (p testHomes) reconcile(t *testing.T) {
	t.Helper()
	if err := Reconcile(p.store, p.account, p.root, config.Settings{Isolation: config.IsolateCodexHome}, noProcesses.options(), func(string) {}); err != nil {
		t.Fatalf("Reconcile failed: %v", err)
	}
}

// put makes the entry in a state: one letter of the tables below.
func (p testHomes) put(t *testing.T, dir, name string, state byte) {
	t.Helper()
	entry := filepath.Join(dir, name)
	switch state {
	case '-':
	case 'f':
		testhome.PutFile(t, entry, "the file "+entry)
		if dir == p.shared {
			setTimes(t, entry, time.Unix(2, 0))
		}
	case 'F':
		setTimes(t, testhome.PutFile(t, entry, "the old file "+entry), time.Unix(1, 0))
	case 'd':
		testhome.PutFile(t, filepath.Join(entry, "inside"), "below "+entry)
	case 'L':
		testhome.Symlink(t, filepath.Join(p.shared, name), entry)
	case 'w':
		testhome.Symlink(t, filepath.Join(p.shared, "another name"), entry)
	case 'o':
		testhome.Symlink(t, filepath.Join(p.outside, "file"), entry)
	case 'x':
		testhome.Symlink(t, filepath.Join(p.outside, "gone"), entry)
	default:
		t.Fatalf("no state %q", state)
	}
}

// state returns the letter for what the sandbox has there now: H a second name of the shared file, L the link to it.
func (p testHomes) state(t *testing.T, name string) byte {
	t.Helper()
	entry, shared := filepath.Join(p.sandbox, name), filepath.Join(p.shared, name)
	info, err := os.Lstat(entry)
	if err != nil {
		return '-'
	}
	if target, err := os.Readlink(entry); err == nil {
		for letter, want := range map[byte]string{'L': shared, 'o': filepath.Join(p.outside, "file"), 'x': filepath.Join(p.outside, "gone")} {
			if target == want {
				return letter
			}
		}
		return 'w'
	}
	if there, err := os.Lstat(shared); err == nil && os.SameFile(info, there) {
		return 'H'
	}
	if info.IsDir() {
		return 'd'
	}
	return 'f'
}

// contents returns the texts of all files in either home, outside and under kept/.
func (p testHomes) contents(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, dir := range []string{p.sandbox, p.shared, p.outside, p.store.Path("kept")} {
		for line := range strings.SplitSeq(testhome.Tree(t, dir), "\n") {
			if _, text, ok := strings.Cut(line, ` "`); ok && line[0] == '-' {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// TestProjection has, for each class and state of the shared entry, what the sandbox has in the end for each of the states that it starts
// with. States are - nothing, f a file that is newer than the shared one, F an older one, d a directory, L the right link, w a link to another
// name in the shared home, o a link elsewhere, x a dangling link elsewhere, H the shared file's second name. A dot is not tested.
func TestProjection(t *testing.T) {
	const before = "-LwoxfdF"
	p := newTestHomes(t)
	next, step := testhome.Points(t, 7) // not 8, the number of states
	n := -1
	for _, tt := range []struct{ name, shared, after string }{
		{"notes", "-", "---LLLLL"}, // what is new is adopted
		{"notes", "f", "LLLLLLLL"},
		{"notes", "d", "LLLLLLLL"},
		{"notes", "o", "LLLLLLLL"},
		{"notes", "x", "LLLLLLLL"},
		{"models_cache.json", "-", "---oxfdf"},
		{"models_cache.json", "f", "---oxfdf"},
		{"models_cache.json", "d", "---oxfdf"},
		{"models_cache.json", "o", "---oxfdf"},
		{"my.token", "f", "---oxfdf"},
		{"auth.json", "-", "---oxfdf"},
		{"auth.json", "f", "---oxfdf"},
		{"app-server-control", "d", "---oxfdf"},
		{"skills", "-", "LLLLLLLL"},
		{"skills", "d", "LLLLLLLL"},
		{"skills", "f", "LLLLLLLL"},
		{"skills", "x", "LLLLLLLL"},
		{"sessions", "d", "LLLLLLLL"},
		{"config.toml", "-", "LLLLLLLL"},
		{"config.toml", "f", "LLLLLLLL"},
		{"config.toml", "o", "LLLLLLLL"},
		{"config.toml", "x", "LLLLLLLL"},
		{"config.toml", "d", "LLLLLLLL"},
		{".credentials.json", "-", "---oxHdH"},
		{".credentials.json", "f", "HHHoxHdH"},
		{".credentials.json", "d", "---oxfdf"},
		{".credentials.json", "o", "---oxfdf"},
		{"state_5.sqlite", "-", "-LL....."}, // databases of the sandbox's own wait until nothing runs
		{"state_5.sqlite", "f", "LLL....."},
		{"state_5.sqlite-wal", "-", "-....fdf"},
		{"state_5.sqlite-wal", "f", "-....fdf"},
		{"new.config.toml", "-", "-LL....."},
	} {
		for i := range before {
			if n++; n < next || tt.after[i] == '.' {
				continue
			}
			next += step
			p.reset(t)
			p.put(t, p.shared, tt.name, tt.shared[0])
			p.put(t, p.sandbox, tt.name, before[i])
			texts, at := p.contents(t), tt.name+" shared "+tt.shared+" own "+before[i:i+1]
			p.reconcile(t)
			if got := p.state(t, tt.name); got != tt.after[i] && strings.IndexByte("-Lw", before[i]) >= 0 {
				t.Errorf("%s: after one reconcile %c, want %c", at, got, tt.after[i])
			}
			p.reconcile(t) // what is new is adopted by the second reconcile
			if got := p.state(t, tt.name); got != tt.after[i] {
				t.Errorf("%s: in the end %c, want %c", at, got, tt.after[i])
			}
			whole := testhome.Tree(t, p.sandbox) + testhome.Tree(t, p.shared)
			p.reconcile(t)
			if again := testhome.Tree(t, p.sandbox) + testhome.Tree(t, p.shared); again != whole {
				t.Errorf("%s: does not settle, from\n%s\nto\n%s", at, whole, again)
			}
			for _, text := range texts {
				if !slices.Contains(p.contents(t), text) {
					t.Errorf("%s: %q is lost", at, text)
				}
			}
		}
	}
}

// A first reconcile makes what codex needs and nothing else, in either home.
func TestProjectionFirstLook(t *testing.T) {
	p := newTestHomes(t)
	p.reconcile(t)
	dirs, files := rules.CodexHomeRules(nil, account.StateShared).Ahead()
	for _, name := range append(slices.Clone(dirs), files...) {
		if got := p.state(t, name); got != 'L' {
			t.Errorf("%s is %c, want its link", name, got)
		}
	}
	entries, err := os.ReadDir(p.shared)
	if len(entries) != len(dirs) || err != nil {
		t.Errorf("the shared home holds %v, %v, want %q", entries, err, dirs)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s was made with %v, %v, want 0700", entry.Name(), info.Mode(), err)
		}
	}
}

// A link in the place of a sandbox's home does not lead outside.
func TestProjectionRefusesLink(t *testing.T) {
	p := newTestHomes(t)
	p.reconcile(t)
	before := testhome.Tree(t, p.outside)
	moved := p.sandbox + "-moved"
	if err := errors.Join(os.Rename(p.sandbox, moved), os.Symlink(p.outside, p.sandbox)); err != nil {
		t.Fatal(err)
	}
	err := Reconcile(p.store, p.account, p.root, config.Settings{Isolation: config.IsolateCodexHome}, noProcesses.options(), func(string) {})
	if err == nil {
		t.Error("Reconcile follows a link in the sandbox's place")
	}
	if after := testhome.Tree(t, p.outside); after != before {
		t.Errorf("outside changed from\n%s\nto\n%s", before, after)
	}
}

// If the shared home is missing, or another one, nothing is linked.
func TestProjectionWithoutSharedHome(t *testing.T) {
	p := newTestHomes(t)
	if err := os.Rename(p.shared, p.shared+"-moved"); err != nil {
		t.Fatal(err)
	}
	before := testhome.Tree(t, p.store.Root)
	err := Reconcile(p.store, p.account, p.root, config.Settings{Isolation: config.IsolateHome}, Options{}, func(string) {})
	if !errors.Is(err, disk.ErrUnsafe) {
		t.Errorf("Reconcile = %v, want a refusal", err)
	}
	if after := testhome.Tree(t, p.store.Root); after != before {
		t.Errorf("changed from\n%s\nto\n%s", before, after)
	}
}

// Between the scan and the repair a program does what it likes. What it has there then stays, under its name or in the shared home.
func TestProjectionGroundChanges(t *testing.T) {
	for _, tt := range []struct {
		kind                 string
		name                 string
		shared, own          byte
		changeShared, change byte
	}{
		{"a link that must go", "models_cache.json", 'f', 'L', '=', 'f'},
		{"a link that must go, by a directory", "models_cache.json", 'f', 'L', '=', 'd'},
		{"a link whose entry is gone", "notes", '-', 'L', '=', 'f'},
		{"a link whose entry comes back", "notes", '-', 'L', 'f', '='},
		{"a wrong link", "notes", 'f', 'w', '=', 'f'},
		{"a wrong link, by a directory", "notes", 'f', 'w', '=', 'd'},
		{"a wrong link, by nothing", "notes", 'f', 'w', '=', '-'},
		{"a missing link", "notes", 'f', '-', '=', 'f'},
		{"a missing directory", "skills", '-', '-', 'd', '='},
		{"a missing directory, by a file", "skills", '-', '-', 'f', '='},
		{"a missing name", ".credentials.json", 'f', '-', '=', 'f'},
		{"a missing name, both", ".credentials.json", 'f', '-', '-', 'f'},
		{"a link in place of a name", ".credentials.json", 'f', 'L', '=', 'f'},
		{"an own file", "config.toml", 'f', 'f', '=', 'L'},
		{"an own file, and no shared one", "config.toml", 'f', 'f', '-', '='},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			p := newTestHomes(t)
			p.put(t, p.shared, tt.name, tt.shared)
			p.put(t, p.sandbox, tt.name, tt.own)
			view := p.open(t)
			testhome.NoError(t, view.scan())
			p.change(t, p.shared, tt.name, tt.changeShared)
			p.change(t, p.sandbox, tt.name, tt.change)
			texts := p.contents(t)
			if err := view.act(); err != nil {
				t.Errorf("act failed: %v", err)
			}
			for _, text := range texts {
				if !slices.Contains(p.contents(t), text) {
					t.Errorf("%q is lost", text)
				}
			}
		})
	}
}

func (p testHomes) change(t *testing.T, dir, name string, state byte) {
	t.Helper()
	if state == '=' {
		return
	}
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	p.put(t, dir, name, state)
}

// open returns the codex home before its first scan.
func (p testHomes) open(t *testing.T) *home {
	t.Helper()
	r := &reconciler{Subject: rules.Subject{Layout: p.store.Layout, Root: p.root, Account: p.account}, say: func(string) {}}
	testhome.NoError(t, r.prepare(config.IsolateCodexHome, config.Private{}))
	opened, done, err := r.open(r.views[0])
	testhome.NoError(t, err)
	t.Cleanup(func() { testhome.NoError(t, done()) })
	return opened
}

// Sockets, FIFOs and devices stay where they were made, and do not stop a reconcile.
func TestProjectionLeavesEndpoints(t *testing.T) {
	p := newTestHomes(t)
	for _, dir := range []string{p.shared, p.sandbox} {
		if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := testhome.Tree(t, p.outside)
	for range 3 {
		p.reconcile(t)
	}
	if info, err := os.Lstat(filepath.Join(p.sandbox, "pipe")); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the sandbox's FIFO is %v, %v", info, err)
	}
	if after := testhome.Tree(t, p.outside); after != before {
		t.Errorf("outside changed to\n%s", after)
	}
}

// What cannot be adopted stays, and does not keep anything else from being repaired.
func TestProjectionDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		return // root may write where nobody else may; the suite runs as both
	}
	p := newTestHomes(t)
	p.reconcile(t)
	p.put(t, p.sandbox, "notes", 'f')
	if err := os.Chmod(p.shared, 0o500); err != nil {
		t.Fatal(err)
	}
	err := Reconcile(p.store, p.account, p.root, config.Settings{Isolation: config.IsolateCodexHome}, noProcesses.options(), func(string) {})
	if err := os.Chmod(p.shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err != nil || p.state(t, "notes") != 'f' {
		t.Errorf("Reconcile = %v, and notes is %c, want it where it was, and no error that keeps codex from running", err, p.state(t, "notes"))
	}
	p.reconcile(t)
	if got := p.state(t, "notes"); got != 'L' {
		t.Errorf("afterwards notes is %c, want its link", got)
	}
}
