// Package process finds the processes that use an account, and its background server, and stops the server.
package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/disk/sys"
)

// LockTellsAll says that swop does not list this system's processes: an account is in use while its lock is held, and codex itself stops
// its server.
const LockTellsAll = runtime.GOOS != "linux"

func (p Process) String() string { return fmt.Sprintf("%q (pid %d)", p.Command, p.PID) }

// Use lists the processes that use an account.
type Use struct {
	Processes []Process // by pid
	// Unseen: a process that cannot be seen from here holds the account's lock: it is in another pid namespace, or its descriptors cannot be
	// read.
	Unseen bool
}

// Any reports whether the account is in use at all.
func (u Use) Any() bool { return len(u.Processes) > 0 || u.Unseen }

// ErrBusy is wrapped by errors about a background server that is at work.
var ErrBusy = errors.New("background server busy")

// StopOptions say which servers [StopServers] stops, and how.
type StopOptions struct {
	CodexHome string // of the account; absolute
	EndTurns  bool   // stop also servers at work, whose turns end
	Now       func() time.Time
	// Stop lets the real codex end the servers, where [LockTellsAll]. Without a codex, or with a release that cannot end one, there is none.
	Stop func(context.Context)
}

// InUse returns the processes that use the codex home at codexHome, whose lock file is lockFile, both absolute: those that have it as
// their codex home, and those that have the lock file open while a lock is held. With [NoLock] only the former count.
//
// Not counted are this process and its ancestors that are verbs of swop; the background server and updater; and what the server runs that
// is not a command of a session: its MCP servers.
func InUse(codexHome, lockFile string) (Use, error) {
	s, err := TakeSurvey()
	if err != nil {
		return Use{}, err
	}
	return s.InUse(codexHome, lockFile)
}

// NoLock is the lock file of a caller that asks for processes alone.
const NoLock = ""

// probeLock reports whether a process, this one included, holds a lock on file: it takes the lock for itself for a moment, which then
// fails. A missing file is not held, nor is [NoLock].
func probeLock(file string) (lock fs.FileInfo, held bool, err error) {
	l, err := account.Flock(file, sys.LOCK_EX|sys.LOCK_NB, sys.O_CLOEXEC)
	defer l.Release()
	if errors.Is(err, account.ErrInUse) {
		lock, err = os.Stat(file)
		return lock, true, err
	}
	return nil, false, disk.Ignore(err, fs.ErrNotExist)
}
