package mirror

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// TestEngineOneAtATime shows what the lock of the shared home is for. A reconcile of a, whose database has no log, has judged that its name is free
// and is about to link it into the shared home, when a reconcile of b links the log of its own database. Without the lock a's database would come
// to lie beside b's log, and a codex started then would replay the one into the other.
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
	done, linked := make(chan error, 1), make(chan struct{})
	begun, goOn := false, sync.OnceFunc(func() { close(linked) })
	_, err := ours.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
		switch {
		case mixed():
			t.Errorf("before %q the shared home has the database of a and the log of b's", w.words(call))
			goOn()
		case begun:
			goOn()
		case strings.HasPrefix(call, "link "+databaseName+" to"):
			begun = true
			there := make(chan struct{})
			go func() { done <- second.reconcileTelling(other, there, linked) }()
			<-there
		}
		return 0
	})
	goOn()
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

// reconcileTelling reconciles b, and closes there when it is about to wait for the lock of the shared home, or else to link its database, which
// it does once linked is closed.
func (w *testWorld) reconcileTelling(s *stepper, there chan<- struct{}, linked <-chan struct{}) error {
	tell := sync.OnceFunc(func() { close(there) })
	defer tell()
	_, err := s.run(func() error { return w.reconcile("b", noProcesses) }, func(_ int, call string) unix.Errno {
		switch {
		case strings.HasPrefix(call, "lock ") && w.homeLocked():
			tell()
		case strings.HasPrefix(call, "link "+databaseName+" to"):
			tell()
			<-linked
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
				if changes(call) && !strings.Contains(call, ".pinned.") {
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
	fd, err := unix.Open(w.store.LockFile(fmt.Sprintf(".home-%d", home.Inode)), unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil
}
