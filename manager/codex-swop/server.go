//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"swop/account"
	"swop/account/appserver"
	"swop/account/process"
	"swop/config"
	"swop/disk"
	limits "swop/limits/usage"
	"swop/manager/terminal"
	"swop/say"
	"swop/shim"
)

// force says what to do about a server that is busy, and a file system without locks.
type force int

const (
	noForce  force = iota // refuse; the verb has no --force
	unforced              // refuse: there was no --force
	forced
)

// forceOf returns what a verb's flag --force says.
func forceOf(flag bool) force {
	if flag {
		return forced
	}
	return unforced
}

// hint returns with if the verb has a --force to use, else without.
func (how force) hint(without, with string) string {
	if how == noForce {
		return without
	}
	return with
}

// stopServer stops the account's background server, which would go on with the old login, and forgets what was read of its limits. A turn
// that the server still runs is cut off only if the person at the terminal says so, or with force.
func (a *app) stopServer(s setup, acct account.Account, how force) error {
	if err := limits.Drop(s.store.Layout, acct.Key); err != nil {
		return err
	}
	return a.stopServerAt(s, acct.CodexHome(), s.inAccount(acct), how)
}

// inAccount returns the environment of a codex that runs as the account.
func (s setup) inAccount(acct account.Account) config.Env {
	return s.Environment(shim.Prepared{Account: acct, Root: s.Root, Settings: s.settings})
}

// stopOptions returns how the server of a codex home is stopped, unless it runs a turn.
func (a *app) stopOptions(s setup, codexHome string, env config.Env) appserver.StopOptions {
	stop := appserver.StopOptions{CodexHome: codexHome, Env: env}
	if real, err := a.codex(s); err == nil {
		stop.Codex = []string{real.Path}
	}
	return stop
}

func (a *app) stopServerAt(s setup, codexHome string, env config.Env, how force) error {
	stop := a.stopOptions(s, codexHome, env)
	if how == forced {
		stop.Turns = appserver.EndTurns
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
	stop.Turns = appserver.EndTurns
	return appserver.Stop(context.Background(), stop)
}

// lockIdle stops the account's server, refuses if the account is in use, and locks it exclusively. Without file locks, use cannot be known:
// that needs force.
func (a *app) lockIdle(s setup, acct account.Account, how force) (account.Lock, error) {
	if err := refuseUse(s, acct); err != nil {
		return account.Lock{}, err
	}
	if err := a.stopServer(s, acct, how); err != nil {
		return account.Lock{}, err
	}
	var l account.Lock
	err := briefly(func() (again bool, err error) { // another call may be looking at the account
		l, err = s.store.LockExclusive(acct.Key)
		return errors.Is(err, account.ErrInUse), err
	})
	if errors.Is(err, account.ErrInUse) {
		return l, say.WithHint(inUse(acct, "its lock is held"), endSessions)
	}
	if err != nil {
		return l, err
	}
	if l.Unsupported && how != forced {
		err := fmt.Errorf("%w: whether account %q is in use cannot be known, the file system has no locks", disk.ErrUnsafe, acct.Meta.Label)
		return l, say.WithHint(err, how.hint("set SWOP_ROOT to a directory on a file system with locks", "close its sessions and use --force"))
	}
	if err := refuseUse(s, acct); err != nil {
		l.Release()
		return l, err
	}
	return l, nil
}

// refuseUse returns an error if the account is in use. It waits for what a codex that has ended leaves behind for a moment.
func refuseUse(s setup, acct account.Account) error {
	var use process.Use
	err := briefly(func() (again bool, err error) {
		use, err = process.InUse(acct.CodexHome(), s.store.LockFile(acct.Key))
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
		return say.WithHint(inUse(acct, fmt.Sprintf("by %v", use.Processes[0])), endSessions)
	case use.Any():
		return say.WithHint(inUse(acct, "by a process that cannot be seen from here"), endSessions)
	}
	return nil
}

const endSessions = "end its sessions first"

func inUse(acct account.Account, by string) error {
	return fmt.Errorf("account %q is %w: %s", acct.Meta.Label, account.ErrInUse, by)
}

// briefly calls f until that returns false, for two seconds at most: mostly it takes a few hundredths.
func briefly(f func() (again bool, err error)) error {
	const pause, most = 20 * time.Millisecond, 100
	for range most - 1 {
		if again, err := f(); !again {
			return err
		}
		time.Sleep(pause)
	}
	_, err := f()
	return err
}
