package projection

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/config"
	"swop/internal/testhome"
	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/store"
)

// TestEngineOneAtATime shows what the lock of the shared home is for. A reconcile of b has just linked the log of its database into the
// shared home, and is about to link the database, when a reconcile of a begins, whose database has no log. Without the lock a's database
// would come to lie beside b's log, and a codex started then would replay the one into the other.
func TestEngineOneAtATime(t *testing.T) {
	ours, other := newStepper(t), newStepper(t)
	w := newWorld(t, testhome.Scratch(t), "a", "b")
	testhome.PutText(t, filepath.Join(w.codex("a"), databaseName), "kept 1")
	putDatabase(t, w.codex("b"), "kept 2")
	second := *w // each has its own list of what was said
	mixed := func() bool {
		db := filepath.Join(w.shared, databaseName)
		return testhome.TextOf(db) == "kept 1" && testhome.TextOf(db+"-wal") == "kept 2 log"
	}
	done := make(chan error, 1)
	begun := false
	_, err := ours.run(func() error { return w.reconcile("b", noProcesses) }, func(_ int, call string) unix.Errno {
		if mixed() {
			t.Errorf("before %q the shared home has the database of a and the log of b's", w.words(call))
		}
		if !begun && strings.HasPrefix(call, "link "+databaseName+" to") {
			begun = true
			waits := make(chan struct{})
			go func() { done <- reconcileTelling(other, &second, waits) }()
			select {
			case <-waits:
				if !w.homeLocked() { // else it waits for the lock, until this reconcile has ended
					done <- <-done
				}
			case err := <-done:
				done <- err
			}
		}
		return 0
	})
	if !begun {
		t.Fatal("the database was not linked: nothing is proved")
	}
	testhome.NoError(t, err)
	testhome.NoError(t, <-done)
	if mixed() {
		t.Error("in the end the shared home has the database of a and the log of b's")
	}
	wantHeld(t, w, "kept 1", "kept 2", "kept 2 log")
}

// reconcileTelling reconciles a, and closes waits when it asks for a lock.
func reconcileTelling(s *stepper, w *testWorld, waits chan<- struct{}) error {
	told := false
	_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
		if !told && strings.HasPrefix(call, "lock ") {
			told = true
			close(waits)
		}
		return 0
	})
	return err
}

// TestEngineActsUnderLock: no reconcile changes a shared home but under its lock. Copies that are under way there, and versions that lie
// aside, are taken for those of a run that was killed by whoever looks there without it.
func TestEngineActsUnderLock(t *testing.T) {
	s := newStepper(t)
	for name, start := range startStates {
		t.Run(name, func(t *testing.T) {
			w := newBroken(t, testhome.Scratch(t), start)
			acted := 0
			_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
				if changes(call) && !strings.Contains(call, ".kept.") {
					acted++
					if !w.homeLocked() {
						t.Errorf("%q without the lock of the shared home", w.words(call))
					}
				}
				return 0
			})
			testhome.NoError(t, err)
			if acted == 0 {
				t.Error("nothing was to be mended: nothing is proved")
			}
		})
	}
}

// homeLocked reports whether someone holds the lock of the shared home.
func (w *testWorld) homeLocked() bool {
	home := w.root.SharedHome
	fd, err := unix.Open(w.store.LockFile(fmt.Sprintf(".home-%d-%d", home.Device, home.Inode)), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil
}

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
		return config.WriteSelector(w.store.Places, config.Selector{Account: "a"})
	},
	"the shared home moves": func(w *testWorld) error {
		_, err := w.store.MoveSharedHome(w.root, w.home)
		return err
	},
	"what is kept private": func(w *testWorld) error {
		return writePinned(w.accounts["a"], map[string]bool{pinnedLine("codex", "x"): true})
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

// wantSynced looks for temporary files, copies and sandboxes among what was renamed and linked. The stamp may be lost, and is not synced.
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
