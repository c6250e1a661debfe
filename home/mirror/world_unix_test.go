//go:build unix

package mirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/home/baseline"
	"swop/home/history"
	"swop/home/links"
	"swop/home/rules"
	"swop/internal/testhome"
)

// testWorld is a small world to test in: a store, its shared homes and its accounts, made by hand. Nothing is synced, so that a test can
// afford thousands of them.
type testWorld struct {
	t        testing.TB
	store    store.Store
	root     account.Root
	shared   string // the shared codex home
	home     string // the real home
	accounts map[string]account.Account
	settings config.Settings
	said     []string
	opened   []*os.File                     // by programs, see [testWorld.open]
	around   func(start func() error) error // runs the starts of scripts, if it is not nil
}

// privateNames are the known directories that these tests have no use for: fewer names make faster scans.
var privateNames = []string{
	"mcp-oauth-locks", "archived_sessions", "thread-writer-locks", "log", "memories", "shell_snapshots", "plugins", ".tmp", "rules",
	"prompts", "agents", "tui-thread-reference-capabilities", "packages", "session_index.jsonl", "session_index.jsonl.lock",
	"version.json", "installation_id",
}

// newWorld makes a world below dir, which is empty, with accounts that have these keys.
func newWorld(t testing.TB, dir string, keys ...string) *testWorld {
	home := filepath.Join(dir, "user")
	w := &testWorld{
		t: t, home: home, shared: filepath.Join(home, ".codex"), accounts: map[string]account.Account{},
		settings: config.Settings{AccountSettings: config.AccountSettings{Isolation: config.IsolateCodexHome, Private: config.Private{CodexHome: privateNames}}},
	}
	w.store = store.Store{Layout: account.Layout{Places: config.Places{Home: home, Root: filepath.Join(dir, "root"), Config: filepath.Join(dir, "config")}}}
	for _, d := range []string{w.shared, w.store.AccountsDir(), w.store.Path("locks"), w.kept()} {
		testhome.NoError(t, os.MkdirAll(d, 0o700))
	}
	w.shareAt(w.shared)
	for _, key := range keys {
		a := account.Account{Key: key, Dir: w.store.AccountDir(key), Meta: account.Meta{Label: key, Key: key, State: account.StateShared, RealHome: home}}
		testhome.NoError(t, os.MkdirAll(a.CodexHome(), 0o700))
		w.accounts[key] = a
	}
	return w
}

// shareAt makes path the shared home.
func (w *testWorld) shareAt(path string) {
	var st unix.Stat_t
	testhome.NoError(w.t, unix.Stat(path, &st))
	w.shared = path
	w.root = account.Root{SharedHome: account.SharedHome{Path: path, Device: uint64(st.Dev), Inode: st.Ino}}
}

// activity is what runs in an account, as a reconcile is told.
type activity uint8

const (
	busy        activity = iota // a session runs
	idle                        // no session runs, the server does
	noProcesses                 // nothing runs
)

func (m activity) options() Options {
	return Options{
		Idle:   func() (bool, error) { return m != busy, nil },
		Checks: Checks{NoProcesses: func(account.Account) (bool, error) { return m == noProcesses, nil }},
	}
}

func (w *testWorld) reconcile(key string, m activity) error {
	return w.reconcileWith(key, m.options())
}

// quiet lets an entry be moved at once while a session runs, as after ten seconds.
func quiet(m activity) Options {
	o := m.options()
	o.QuietFor = time.Nanosecond
	return o
}

func (w *testWorld) reconcileWith(key string, o Options) error {
	return Reconcile(w.store, w.accounts[key], w.root, w.settings, o, func(line string) { w.said = append(w.said, line) })
}

// findings returns what a scan of the account's homes finds.
func (w *testWorld) findings(key string) []string {
	w.t.Helper()
	a := w.accounts[key]
	r := &reconciler{Subject: rules.Subject{Layout: w.store.Layout, Root: w.root, Account: a, Stamp: rules.OpenStamp(a)}, say: func(string) {}}
	defer r.Stamp.Close()
	testhome.NoError(w.t, r.prepare(w.settings.For(key)))
	var list []string
	for _, v := range r.links.Views {
		list = append(list, r.findingsIn(w.t, v)...)
	}
	return list
}

func (r *reconciler) findingsIn(t testing.TB, v links.View) (list []string) {
	p, done, err := r.open(v)
	testhome.NoError(t, err)
	testhome.NoError(t, errors.Join(p.scan(), done()))
	for _, f := range p.findings {
		list = append(list, fmt.Sprintf("%s: %q (kind %d)", v.Name, f.name, f.kind))
	}
	return list
}

// settle reconciles all accounts, without processes, until a scan finds nothing, at most five times each.
func (w *testWorld) settle() error {
	for range 5 {
		left := 0
		for _, key := range w.keys() {
			if err := w.reconcile(key, noProcesses); err != nil {
				return fmt.Errorf("reconcile of %s: %w", key, err)
			}
		}
		for _, key := range w.keys() {
			left += len(w.findings(key))
		}
		if left == 0 {
			return nil
		}
	}
	return fmt.Errorf("five reconciles leave %v", w.findings(w.keys()[0]))
}

func (w *testWorld) keys() []string {
	var keys []string
	for key := range w.accounts {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

func (w *testWorld) codex(key string) string {
	a := w.accounts[key]
	return a.CodexHome()
}

func (w *testWorld) sandboxHome(key string) string {
	a := w.accounts[key]
	return a.Home()
}

func (w *testWorld) kept() string { return w.store.Path(history.RootDir) }

// tree describes what is below dir, a line for each entry but directories: its path, its type, its content or target. Paths of the world
// are replaced by words.
func (w *testWorld) tree(dir string) []string {
	var list []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		rel, _ := filepath.Rel(dir, path) // path is below dir
		switch mode := entry.Type(); {
		case mode.IsDir() && empty(path):
			list = append(list, rel+"/")
		case mode&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path) // "" shows in the description
			list = append(list, rel+" -> "+w.words(target))
		case mode.IsRegular():
			text, _ := os.ReadFile(path) // "" shows in the description
			list = append(list, rel+" = "+string(text))
		case !mode.IsDir():
			list = append(list, rel+" "+mode.String())
		}
		return nil
	})
	testhome.NoError(w.t, err)
	slices.Sort(list)
	return list
}

func empty(dir string) bool {
	list, err := os.ReadDir(dir)
	return err == nil && len(list) == 0
}

func (w *testWorld) words(path string) string {
	for _, key := range w.keys() {
		path = strings.Replace(path, w.codex(key), "<"+key+">", 1)
	}
	return strings.Replace(strings.Replace(path, w.shared, "<shared>", 1), w.home, "<home>", 1)
}

func replaceFile(t testing.TB, file, text string) {
	t.Helper()
	testhome.NoError(t, replace(file, text))
}

func inodeOf(path string) uint64 {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) != nil {
		return 0
	}
	return st.Ino
}

func fileInode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }

// everything returns the contents of all files of the world.
func (w *testWorld) everything() string {
	var all strings.Builder
	for _, dir := range []string{w.home, w.store.Root} {
		testhome.NoError(w.t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				all.WriteString(testhome.TextOf(path))
			}
			return err
		}))
	}
	return all.String()
}

// shareFile puts a file into the shared home and lets all accounts link it, a clock tick ago.
func shareFile(t testing.TB, w *testWorld, name, text string) {
	t.Helper()
	testhome.PutText(t, filepath.Join(w.shared, name), text)
	testhome.Tick(t)
	for _, key := range w.keys() {
		testhome.NoError(t, w.reconcile(key, busy))
	}
	testhome.Tick(t)
}

func wantText(t testing.TB, file, want string) {
	t.Helper()
	if got := testhome.TextOf(file); got != want {
		t.Errorf("%s is %q, want %q", filepath.Base(file), got, want)
	}
}

// changeBaseline changes what the last scan of the account saw.
func (w *testWorld) changeBaseline(key string, change func(*baseline.Baseline)) {
	w.t.Helper()
	stampText := rules.OpenStamp(w.accounts[key])
	defer stampText.Close()
	m := baseline.Of(stampText)
	change(m)
	body, err := json.Marshal(m)
	testhome.NoError(w.t, err)
	stampText.Header.At = m.At
	testhome.NoError(w.t, rules.WriteStamp(w.accounts[key], stampText.Header, body))
}

// recovered turns a panic of f into an error.
func recovered(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}
