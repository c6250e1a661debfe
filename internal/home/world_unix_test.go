//go:build unix

package home

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/test/testhome"
)

// world is a real home with a codex home, and accounts. Programs are the test's own calls, so that it can afford thousands of them.
type world struct {
	t        testing.TB
	store    store.Store
	root     account.Root
	settings config.Settings
	said     []string
	hard     bool          // as on Windows
	quietFor time.Duration // see Options
}

func newWorld(t testing.TB, keys ...string) *world {
	t.Helper()
	dir := testhome.Scratch(t)
	w := &world{t: t}
	w.settings.Isolation = config.IsolateHome
	w.store = store.Store{Layout: account.Layout{Places: config.Places{
		Home: filepath.Join(dir, "user"),
		Root: filepath.Join(dir, "root"), Config: filepath.Join(dir, "config"),
	}}}
	for _, d := range []string{w.out("/.codex"), w.store.AccountsDir(), w.store.Path("locks")} {
		testhome.NoError(t, os.MkdirAll(d, 0o700))
	}
	var st unix.Stat_t
	testhome.NoError(t, unix.Stat(w.out("/.codex"), &st))
	w.root = account.Root{SharedHome: account.SharedHome{Path: w.out("/.codex"), Device: uint64(st.Dev), Inode: st.Ino}}
	for _, key := range keys {
		testhome.NoError(t, os.MkdirAll(w.in(key, "/.codex"), 0o700))
	}
	return w
}

// out is a path in the real home, and in one in an account's.
func (w *world) out(path string) string     { return w.store.Home + path }
func (w *world) in(key, path string) string { return w.account(key).Home() + path }
func (w *world) account(key string) *account.Account {
	return &account.Account{
		Key: key, Dir: w.store.AccountDir(key),
		Meta: account.Meta{Label: key, Key: key, State: account.StateShared, RealHome: w.store.Home},
	}
}

func (w *world) homes() Homes {
	say := func(line string) { w.said = append(w.said, line) }
	return Homes{Store: w.store, Root: w.root, Settings: w.settings, Say: say}
}

// start reconciles the accounts; rest says that no session of them runs.
func (w *world) start(rest bool, keys ...string) {
	w.t.Helper()
	for _, key := range keys {
		o := Options{Idle: func() (bool, error) { return rest, nil }, hardLinks: w.hard, quietFor: w.quietFor}
		testhome.NoError(w.t, w.homes().Reconcile(*w.account(key), o))
	}
}

// session runs a script in the account's home.
func (w *world) session(key, script string) {
	w.t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = w.in(key, "")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Errorf("%s: %v\n%s", script, err, out)
	}
	testhome.Tick(w.t)
}

const (
	atRest  = true
	running = false
)

// put replaces a file as most programs do, by a rename.
func (w *world) put(path, text string) {
	w.t.Helper()
	testhome.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	testhome.PutText(w.t, path+".tmp", text)
	testhome.NoError(w.t, os.Rename(path+".tmp", path))
	testhome.Tick(w.t)
}

// want fails unless each file has the text.
func (w *world) want(text string, paths ...string) {
	w.t.Helper()
	for _, path := range paths {
		if got, err := os.ReadFile(path); string(got) != text {
			w.t.Errorf("%s has %q, %v, want %q", path, got, err, text)
		}
	}
}

// wantLink fails unless path is the link to the entry of the real home.
func (w *world) wantLink(path, target string) {
	w.t.Helper()
	if got, err := os.Readlink(path); got != target {
		w.t.Errorf("%s leads to %q, %v, want %q", path, got, err, target)
	}
}

// kept returns what history lists, with the contents of the files.
func (w *world) kept() string {
	w.t.Helper()
	list, err := List(w.store.Layout, w.root)
	testhome.NoError(w.t, err)
	var b strings.Builder
	for _, v := range list {
		for _, file := range v.Files {
			testhome.NoError(w.t, filepath.WalkDir(filepath.Join(v.Dir, file), func(path string, e os.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() {
					fmt.Fprintf(&b, "%s=%s ", strings.TrimPrefix(path, v.Dir+"/"), testhome.TextOf(path))
				}
				return err
			}))
		}
	}
	return strings.TrimSpace(b.String())
}

func (w *world) wantKept(want string) {
	w.t.Helper()
	if got := w.kept(); got != want {
		w.t.Errorf("history has %q, want %q", got, want)
	}
}

func (w *world) wantSaid(times int) {
	w.t.Helper()
	if len(w.said) != times {
		w.t.Errorf("said %q, want %d lines", w.said, times)
	}
}
