package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"swop/internal/account"
	"swop/internal/disk/sys"
)

func (p Process) String() string { return fmt.Sprintf("%q (pid %d)", p.Command, p.PID) }

// Use lists the processes that use an account.
type Use struct {
	Processes []Process // by pid
	// Unseen: a process that cannot be seen from here holds the account's lock: it is in another pid namespace, or its descriptors cannot be
	// read.
	Unseen bool
	// NoLocks: the file system has no locks, so a process that hides its environment is not among Processes.
	NoLocks bool
}

// Any reports whether the account is in use at all.
func (u Use) Any() bool { return len(u.Processes) > 0 || u.Unseen }

// lockProbe is the state of a lock file.
type lockProbe struct {
	file        fs.FileInfo // nil if there is no lock file
	held        bool        // by any process, this one included
	unsupported bool
}

// probeLock returns whether a lock on file is held: it takes the lock for itself for a moment, which then fails. A missing file is not
// held.
func probeLock(file string) (lockProbe, error) {
	l, err := account.Flock(file, sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC)
	defer l.Release()
	probe := lockProbe{held: errors.Is(err, account.ErrInUse), unsupported: l.Unsupported}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return probe, nil
	case err != nil && !probe.held:
		return probe, err
	}
	probe.file, err = os.Stat(file)
	return probe, err
}
