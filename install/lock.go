//go:build unix

package install

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lock waits three seconds for another run. One that was killed keeps its lock for a while: the kernel closed its files up to 0.1 s after it
// was reaped (Linux 6.18, a busy machine).
const (
	lockTries = 60
	lockPause = 50 * time.Millisecond
)

// lock keeps a second install or uninstall out of bin until unlock is called or the process ends. The directory itself is locked, so no
// file is left behind; where the file system has no locks, or bin is missing, nothing is locked.
func lock(bin string) (unlock func(), err error) {
	dir, err := os.Open(bin)
	if err != nil {
		return func() {}, nil //nolint:nilerr // what cannot be opened is reported by the step that needs it
	}
	err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for range lockTries {
		if !errors.Is(err, unix.EWOULDBLOCK) {
			break
		}
		time.Sleep(lockPause)
		err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errors.Join(fmt.Errorf("another install or uninstall is running in %s", bin), dir.Close())
	}
	return func() { dir.Close() }, nil
}
