//go:build unix

package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/disk"
	"swop/internal/testhome"
)

// FuzzPending puts a mark of any name into pending/: the sweep touches nothing but the accounts of this root, and leaves no file there.
func FuzzPending(f *testing.F) {
	for _, seed := range testhome.HostileNames {
		f.Add(seed)
	}
	for _, seed := range []string{"work", "Work", "work ", "gone", "../accounts/work", "removed"} {
		f.Add(seed)
	}
	w := newWorld(f, testhome.Scratch(f), "work")
	testhome.NoError(f, errors.Join(w.store.WriteMeta(w.accounts["work"]), os.MkdirAll(w.store.Path("pending"), 0o700)))
	work := w.accounts["work"]
	testhome.PutText(f, work.AuthFile(), "a login")
	f.Fuzz(func(t *testing.T, name string) {
		mark := filepath.Join(w.store.Path("pending"), name)
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") || os.WriteFile(mark, nil, 0o600) != nil {
			return
		}
		_, err := SweepPending(w.store, "", w.root, w.settings, noProcesses.options().Checks, func(string) {})
		if _, statErr := os.Lstat(mark); name[0] != '.' && !errors.Is(statErr, unix.ENOENT) {
			t.Errorf("the mark %q stays (%v): %v", name, statErr, err)
		}
		if got := testhome.TextOf(work.AuthFile()); got != "a login" {
			t.Errorf("after the mark %q the login is %q", name, got)
		}
		testhome.NoError(t, disk.Ignore(os.Remove(mark), os.ErrNotExist))
		for _, dir := range []string{"accounts", "pending", "kept", "trash", "."} {
			list, err := os.ReadDir(w.store.Path(dir))
			testhome.NoError(t, disk.Ignore(err, os.ErrNotExist))
			for _, entry := range list {
				if known := []string{"work", "accounts", "pending", "kept", "trash", "locks"}; !slices.Contains(known, entry.Name()) {
					t.Errorf("after the mark %q there is %q in %s", name, entry.Name(), dir)
				}
			}
		}
	})
}

// FuzzSession takes any HOME and CODEX_HOME for those of a session: only the path of a sandbox with a valid meta.json is one.
func FuzzSession(f *testing.F) {
	for _, seed := range append(testhome.HostileNames, "/", "/accounts/x/home", "/a/accounts/../home", "//accounts//work//home", "/accounts/work/home/.codex", "/accounts/work/home/") {
		f.Add(seed, seed)
	}
	dir := testhome.Scratch(f)
	w := newWorld(f, dir, "work")
	testhome.NoError(f, w.store.WriteMeta(w.accounts["work"]))
	f.Fuzz(func(t *testing.T, home, codexHome string) {
		for _, base := range []string{"", dir + "/", w.store.Root + "/", w.accounts["work"].Dir + "/"} {
			s, ok := store.SessionIn(config.Env{"HOME=" + base + home, "CODEX_HOME=" + base + codexHome})
			if ok && (s.Key != "work" || filepath.Clean(s.Root) != w.store.Root || s.RealHome != w.home) {
				t.Errorf("HOME=%q, CODEX_HOME=%q is a session %+v", base+home, base+codexHome, s)
			}
			if !ok && !reflect.DeepEqual(s, account.Session{}) {
				t.Errorf("HOME=%q, CODEX_HOME=%q is none, %+v", base+home, base+codexHome, s)
			}
		}
	})
}
