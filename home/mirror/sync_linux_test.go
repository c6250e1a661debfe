package mirror

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/account"
	"swop/account/store"
	"swop/config"
	"swop/config/file"
	"swop/disk"
	"swop/home/pinned"
	"swop/internal/testhome"
)

// syncedWrites are what must be there after a power failure, once it was said to be done.
var syncedWrites = map[string]func(w *testWorld) error{
	"an account is made": func(w *testWorld) error {
		_, err := w.store.Create(store.New{Label: "new", State: account.StateShared, SharedHome: w.shared, Now: time.Unix(1, 0)})
		return err
	},
	"last_used_at": func(w *testWorld) error { return w.store.Touch(w.accounts["a"], time.Unix(1, 0)) },
	"rename": func(w *testWorld) error {
		_, err := w.store.Rename(w.accounts["a"], "other", w.shared)
		return err
	},
	"remove": func(w *testWorld) error { return w.store.Delete(w.accounts["a"], w.shared) },
	"the selector": func(w *testWorld) error {
		return file.WriteSelector(w.store.Places, config.Selector{Account: "a"})
	},
	"the shared home moves": func(w *testWorld) error {
		_, err := w.store.MoveSharedHome(w.root, w.home)
		return err
	},
	"what is kept private": func(w *testWorld) error {
		return new(pinned.Names).Write(w.accounts["a"])
	},
}

// TestWritesAreSynced: a file is synced before it is renamed or linked to its name, and the directory after, or a power failure leaves
// an empty file there, or none (rename(2), fsync(2)).
func TestWritesAreSynced(t *testing.T) {
	s := newStepper(t)
	for name, write := range syncedWrites {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testhome.Scratch(t), "a")
			testhome.NoError(t, w.store.MakeDirs())
			testhome.PutText(t, filepath.Join(w.shared, "sessions"), "")
			testhome.NoError(t, w.store.WriteMeta(w.accounts["a"]))
			_, err := s.run(func() error { return write(w) }, func(int, string) unix.Errno { return 0 })
			testhome.NoError(t, err)
			wantSynced(t, w, s.log)
		})
	}
}

// TestEngineDevicesSynced is TestWritesAreSynced for what is copied across file systems: the original must not go before the copy is
// durable under its name.
func TestEngineDevicesSynced(t *testing.T) {
	s := newStepper(t)
	for _, name := range []string{"adopt a file", "adopt a directory with links into the sandbox", "a replaced link", "a database", "two versions, the shared one newer"} {
		t.Run(name, func(t *testing.T) {
			w := newTwoDeviceWorld(t, "a")
			startStates[name](w, w.codex("a"), w.shared)
			_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(int, string) unix.Errno { return 0 })
			testhome.NoError(t, err)
			wantSynced(t, w, s.log)
		})
	}
}

// wantSynced checks the calls that renamed or linked temporary files, copies and sandboxes. The stamp may be lost, and is not synced.
func wantSynced(t *testing.T, w *testWorld, log []string) {
	t.Helper()
	synced, unsettled := map[string]bool{}, ""
	found := 0
	for _, call := range log {
		verb, rest, _ := strings.Cut(call, " ")
		from, _, _ := strings.Cut(rest, " to ")
		base := filepath.Base(from)
		places := (verb == "rename" || verb == "link") && !strings.HasPrefix(base, ".stamp.")
		switch {
		case verb == "sync" && isDirectory(rest):
			unsettled = ""
			synced[filepath.Base(rest)] = true
		case verb == "sync":
			synced[filepath.Base(rest)] = true
		case verb == "unlink" && unsettled != "" && !isTemporary(base):
			t.Errorf("%q comes before a sync of the directory after %q", w.words(call), w.words(unsettled))
		case places && isTemporary(base):
			found++
			unsettled = call
			if !synced[base] {
				t.Errorf("%q comes before a sync of the file", w.words(call))
			}
		case places && strings.Contains(from, "/accounts/"):
			found++
			unsettled = call
		}
	}
	if unsettled != "" {
		t.Errorf("no sync of the directory after %q", w.words(unsettled))
	}
	if found == 0 {
		t.Errorf("nothing was put into its place: nothing is proved\n%q", log)
	}
}

func isTemporary(name string) bool { return strings.HasSuffix(name, ".tmp") || disk.IsCopy(name) }

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
