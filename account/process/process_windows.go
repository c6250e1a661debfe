package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"time"

	"swop/account"
	"swop/disk/sys"
)

// On Windows a process is not asked for its environment. An account is in use while its lock is held: codex-swop holds the lock of each session as
// long as codex runs, and codex ends with it, by a job.

// Process is a live process of this user.
type Process struct {
	PID     int
	Command string
	Stopped bool
}

func (p Process) String() string { return fmt.Sprintf("%q (pid %d)", p.Command, p.PID) }

// OpenFiles returns nothing: what a process has open is not asked.
func (Process) OpenFiles() []string { return nil }

// Started fails: servers are not looked for.
func (Process) Started(time.Time) (time.Time, error) { return time.Time{}, errors.ErrUnsupported }

// Use says how an account is used.
type Use struct {
	Processes []Process // none
	Unseen    bool      // its lock is held
	NoLocks   bool      // the file system has no locks
}

// Any reports whether the account is in use at all.
func (u Use) Any() bool { return u.Unseen }

// Passing reports false: what a codex leaves behind does not hold the lock.
func (Use) Passing() bool { return false }

// InUse returns whether the account whose lock file is lockFile is in use.
func InUse(_, lockFile string) (Use, error) {
	l, err := account.Flock(lockFile, sys.LOCK_EX|sys.LOCK_NB, 0)
	defer l.Release()
	switch {
	case errors.Is(err, account.ErrInUse):
		return Use{Unseen: true}, nil
	case errors.Is(err, fs.ErrNotExist):
		return Use{}, nil
	}
	return Use{NoLocks: l.Unsupported}, err
}

// HomeInUse returns whether a codex home that is no account's is in use, as far as the lock of its login tells.
func HomeInUse(codexHome, lockFile string) (Use, error) { return InUse(codexHome, lockFile) }

// NoProcesses reports whether nobody uses the account whose lock file is lockFile.
func NoProcesses(codexHome, lockFile string) (bool, error) {
	use, err := InUse(codexHome, lockFile)
	return err == nil && !use.Any(), err
}

// NoSession reports true: no session has lost its lock.
func NoSession(string) (bool, error) { return true, nil }

// OnlyServer reports false: a server does not hold the lock.
func OnlyServer(_, _ string) (bool, error) { return false, nil }

// Servers returns nothing: background servers are not looked for.
func Servers(string) ([]Process, error) { return nil, nil }

// LockHolder reports that it is not known who holds a lock.
func LockHolder(string) (Process, bool) { return Process{}, false }

// Survey answers for many accounts.
type Survey struct{}

// TakeSurvey returns a survey.
func TakeSurvey() (Survey, error) { return Survey{}, nil }

// InUse is [InUse].
func (Survey) InUse(codexHome, lockFile string) (Use, error) { return InUse(codexHome, lockFile) }

// Ask runs a program and returns what it prints on stdout: an error if that is more than limit bytes. When ctx ends, it is killed, and the error is
// ctx's.
func Ask(ctx context.Context, program exec.Cmd, limit int) (string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program.Path)
	cmd.Args, cmd.Env, cmd.Dir, cmd.Stdout = program.Args, program.Env, program.Dir, &out
	cmd.WaitDelay = time.Second // for what it left running with our pipe
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case out.Len() > limit:
		return "", errors.New("it prints too much")
	}
	return out.String(), err
}
