//go:build unix

package mirror

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/disk"
	"swop/internal/testhome"
)

// FuzzPending puts a mark of any name into pending/: the sweep touches nothing but the accounts of this root, and leaves no file there.
func FuzzPending(f *testing.F) {
	for _, seed := range testhome.HostileNames {
		f.Add(seed)
	}
	for _, seed := range []string{"work", "Work", "work ", "gone", "../accounts/work", "tombstone"} {
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
