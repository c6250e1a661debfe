package projection

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
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

// TestEngineActsUnderLock: a reconcile changes a shared home only under its lock. Without it, the copies that are being made there and the
// versions with temporary names would be taken for those of a killed run.
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
				t.Error("nothing was to be repaired: nothing is proved")
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
