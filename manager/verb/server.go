package verb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/appserver"
	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/shim"
)

// Force says what to do about a server that is busy, and a file system without locks.
type Force int

const (
	NoForce  Force = iota // refuse; the verb has no --force
	unforced              // refuse: there was no --force
	Forced
)

// ForceOf returns what a verb's flag --force says.
func ForceOf(flag bool) Force {
	if flag {
		return Forced
	}
	return unforced
}

// hint returns with if the verb has a --force to use, else without.
func (how Force) hint(without, with string) string {
	if how == NoForce {
		return without
	}
	return with
}

// StopServer stops the account's background server, which would go on with the old login. A turn that the server still runs is cut off only if the
// person at the terminal says so, or with force.
func (s Setup) StopServer(acct account.Account, how Force) error {
	if acct.Meta.Confine != "" {
		return nil // its sessions start none, and nothing unconfined reads its home
	}
	return s.StopServerAt(acct.CodexHome(), s.InAccount(acct), how)
}

// InAccount returns the environment of a codex that runs as the account.
func (s Setup) InAccount(acct account.Account) config.Env {
	return s.Environment(shim.Prepared{Account: acct, Root: s.Root, Settings: s.Settings})
}

// StopOptions returns how the server of a codex home is stopped, unless it runs a turn.
func (s Setup) StopOptions(codexHome string, env config.Env) appserver.StopOptions {
	return appserver.StopOptions{CodexHome: codexHome, Env: env, Codex: func() string {
		real, err := s.Codex()
		if err != nil {
			return ""
		}
		return real.Path
	}}
}

func (s Setup) StopServerAt(codexHome string, env config.Env, how Force) error {
	stop := s.StopOptions(codexHome, env)
	if how == Forced {
		stop.EndTurns = true
	}
	err := appserver.Stop(context.Background(), stop)
	if !errors.Is(err, appserver.ErrBusy) {
		return err
	}
	yes, askErr := terminal.Confirm(fmt.Sprintf("%v. Stop it anyway?", err))
	switch {
	case errors.Is(askErr, shim.ErrQuit):
		return askErr
	case askErr != nil || !yes:
		return say.WithHint(err, how.hint("wait until it has finished", "wait until it has finished, or use --force"))
	}
	stop.EndTurns = true
	return appserver.Stop(context.Background(), stop)
}

// LockIdle stops the account's server, refuses if the account is in use, and locks it exclusively. Without file locks, use cannot be known:
// that needs force.
func (s Setup) LockIdle(acct account.Account, how Force) (account.Lock, error) {
	if err := RefuseUse(s, acct); err != nil {
		return account.Lock{}, err
	}
	if err := s.StopServer(acct, how); err != nil {
		return account.Lock{}, err
	}
	var l account.Lock
	err := Briefly(func() (again bool, err error) { // another call may be looking at the account
		l, err = s.Store.LockExclusive(acct.Key)
		return errors.Is(err, account.ErrInUse), err
	})
	if errors.Is(err, account.ErrInUse) {
		return l, say.WithHint(inUse(acct, "its lock is held"), EndSessions)
	}
	if err != nil {
		return l, err
	}
	if l.Unsupported && how != Forced {
		err := fmt.Errorf("%w: cannot tell whether account %q is in use: the file system has no locks", disk.ErrUnsafe, acct.Meta.Label)
		return l, say.WithHint(err, how.hint("set SWOP_ROOT to a directory on a file system with locks", "close its sessions and use --force"))
	}
	if process.LockTellsAll {
		return l, nil
	}
	if err := RefuseUse(s, acct); err != nil { // without a lock it may be in use, too
		l.Release()
		return l, err
	}
	return l, nil
}

// RefuseUse returns an error if the account is in use. It waits for what a codex that has ended leaves behind for a moment.
func RefuseUse(s Setup, acct account.Account) error {
	var use process.Use
	err := Briefly(func() (again bool, err error) {
		use, err = process.InUse(acct.CodexHome(), s.Store.LockFile(acct.Key))
		return use.Passing(), err
	})
	switch {
	case err != nil:
		return err
	case use.Passing():
		p := use.Processes[0]
		err := inUse(acct, fmt.Sprintf("%v reads your shell's start files for a codex that has ended", p))
		return say.WithHint(err, fmt.Sprintf("wait for it, or: kill %d", p.PID))
	case len(use.Processes) > 0:
		return say.WithHint(inUse(acct, fmt.Sprintf("by %v", use.Processes[0])), EndSessions)
	case use.Any():
		return say.WithHint(inUse(acct, "by a process that cannot be seen from here"), EndSessions)
	}
	return nil
}

// RefuseAnyUse returns an error if one of the accounts is in use.
func RefuseAnyUse(s Setup, accounts []account.Account) error {
	for _, acct := range accounts {
		if err := RefuseUse(s, acct); err != nil {
			return err
		}
	}
	return nil
}

// EndSessions is the hint where sessions use an account.
const EndSessions = "end its sessions first"

func inUse(acct account.Account, by string) error {
	return fmt.Errorf("account %q is %w: %s", acct.Meta.Label, account.ErrInUse, by)
}

// Briefly calls f until that returns false, for two seconds at most: mostly it takes a few hundredths.
func Briefly(f func() (again bool, err error)) error { return disk.Briefly(2*time.Second, f) }
