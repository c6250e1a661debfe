package mirror

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"swop/internal/testhome"
)

// TestEngineActsUnderLock: a reconcile changes a shared home only under its lock. Without it, the copies that are being made there and the
// versions with temporary names would be taken for those of a killed run.
func TestEngineActsUnderLock(t *testing.T) {
	s := newStepper(t)
	for name := range startStates {
		t.Run(name, func(t *testing.T) {
			w := newStarted(t, testhome.Scratch(t), name)
			acted := 0
			_, err := s.run(func() error { return w.reconcile("a", noProcesses) }, func(_ int, call string) unix.Errno {
				if changes(call) && !strings.HasSuffix(call, "/pinned") {
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
