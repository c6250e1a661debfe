package process

import (
	"errors"
	"os/exec"
	"time"
)

// On Windows a process is not asked for its environment. An account is in use while its lock is held: codex-swop holds the lock of each session as
// long as codex runs, and codex ends with it, by a job. Nothing here returns a process.

// LockTellsAll says that who uses an account holds its lock.
const LockTellsAll = true

// Process is a live process of this user.
type Process struct {
	PID     int
	Command string
	Stopped bool
}

// OpenFiles and Started tell nothing.
func (Process) OpenFiles() []string { return nil }

func (Process) Started(time.Time) (time.Time, error)         { return time.Time{}, errors.ErrUnsupported }
func Servers(codexHome string) ([]Process, error)            { return nil, nil }
func OnlyServer(codexHome, lockFile string) (bool, error)    { return false, nil }
func LockHolder(lockFile string) (holder Process, held bool) { return Process{}, false }

// NoSession reports true: no session has lost its lock.
func NoSession(codexHome string) (bool, error) { return true, nil }

// Passing reports false: what a codex leaves behind does not hold the lock.
func (Use) Passing() bool { return false }

// InUse returns whether the account whose lock file is lockFile is in use.
func InUse(_, lockFile string) (Use, error) {
	lock, err := probeLock(lockFile)
	return Use{Unseen: lock.held, NoLocks: lock.unsupported}, err
}

// HomeInUse is [InUse] for a codex home that is no account's, as far as the lock of its login tells.
func HomeInUse(codexHome, lockFile string) (Use, error) { return InUse(codexHome, lockFile) }

// NoProcesses reports whether nobody uses the account whose lock file is lockFile.
func NoProcesses(codexHome, lockFile string) (bool, error) {
	use, err := InUse(codexHome, lockFile)
	return err == nil && !use.Any(), err
}

// Survey answers for many accounts: by their locks, when it is asked.
type Survey struct{}

func TakeSurvey() (Survey, error) { return Survey{}, nil }

// InUse is [InUse].
func (Survey) InUse(codexHome, lockFile string) (Use, error) { return InUse(codexHome, lockFile) }

func isolate(*exec.Cmd) (leave func()) { return func() {} }
