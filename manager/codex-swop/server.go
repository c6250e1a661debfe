//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"swop/config"
	"swop/manager/account"
	"swop/manager/appserver"
	"swop/manager/disk"
	"swop/manager/process"
	"swop/say"
	"swop/shim"
)

// force says what becomes of a server that does something, and of a file system without locks.
type force int

const (
	noForce  force = iota // refuse; the verb has no --force
	unforced              // refuse: there was no --force
	forced
)

// forceOf is what the flag --force of a verb says.
func forceOf(flag bool) force {
	if flag {
		return forced
	}
	return unforced
}

// hint is without or, where the verb has a --force to use, with.
func (how force) hint(without, with string) string {
	if how == noForce {
		return without
	}
	return with
}

// stopServer stops the account's background server, which would go on with the old login. A turn that it still runs is cut off only
// if the person at the terminal says so, or with force.
func (a *app) stopServer(s scene, acct account.Account, how force) error {
	return a.stopServerAt(s, acct.CodexHome(), s.inAccount(acct), how)
}

// inAccount returns the environment of a codex that runs as the account.
func (s scene) inAccount(acct account.Account) config.Env {
	return s.Environment(shim.Prepared{Account: acct, Root: s.Root, Settings: s.settings})
}

// stopOptions returns how the server of a codex home is stopped, unless it runs a turn.
func (a *app) stopOptions(s scene, codexHome string, env config.Env) appserver.StopOptions {
	stop := appserver.StopOptions{CodexHome: codexHome, Env: env}
	if real, err := a.codex(s); err == nil {
		stop.Codex = []string{real.Path}
	}
	return stop
}

func (a *app) stopServerAt(s scene, codexHome string, env config.Env, how force) error {
	stop := a.stopOptions(s, codexHome, env)
	if how == forced {
		stop.Turns = appserver.EndTurns
	}
	err := appserver.Stop(context.Background(), stop)
	if !errors.Is(err, appserver.ErrBusy) {
		return err
	}
	if yes, askErr := confirm(fmt.Sprintf("swop: %v. Stop it all the same?", err)); askErr != nil || !yes {
		return say.WithHint(err, how.hint("wait until it has finished", "wait until it has finished, or use --force"))
	}
	stop.Turns = appserver.EndTurns
	return appserver.Stop(context.Background(), stop)
}

// idle refuses an account that is in use, after its server was stopped, and takes it exclusively. What cannot be known, since the
// file system has no locks, wants force.
func (a *app) idle(s scene, acct account.Account, how force) (account.Lock, error) {
	if err := refuseUse(s, acct); err != nil {
		return account.Lock{}, err
	}
	if err := a.stopServer(s, acct, how); err != nil {
		return account.Lock{}, err
	}
	var l account.Lock
	err := briefly(func() (again bool, err error) { // another verb or start may look at the account just now
		l, err = s.store.LockExclusive(acct.Key)
		return errors.Is(err, account.ErrInUse), err
	})
	if errors.Is(err, account.ErrInUse) {
		return l, inUse(acct, "its lock is held")
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

// refuseUse refuses an account that is in use. What a codex that has ended leaves behind for a moment is waited for.
func refuseUse(s scene, acct account.Account) error {
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
		err := inUseBy(acct, fmt.Sprintf("%v reads your shell's start files for a codex that has ended", p))
		return say.WithHint(err, fmt.Sprintf("wait for it, or: kill %d", p.PID))
	}
	if len(use.Processes) > 0 {
		return inUse(acct, fmt.Sprintf("by %v", use.Processes[0]))
	}
	if use.Any() {
		return inUse(acct, "by a process that cannot be seen from here")
	}
	return nil
}

func inUse(acct account.Account, by string) error {
	return say.WithHint(inUseBy(acct, by), "end its sessions first")
}

func inUseBy(acct account.Account, by string) error {
	return fmt.Errorf("account %q is %w: %s", acct.Meta.Label, account.ErrInUse, by)
}

// briefly calls f until it does not want to be called again, for two seconds at most: what is waited for takes a few hundredths.
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

// stopServerOf stops the background server of the account that the label names, for a plain codex login or logout.
func (a *app) stopServerOf(label string) error {
	s, err := a.look()
	if err != nil {
		return err
	}
	acct, err := s.store.Find(label)
	if err != nil {
		return err
	}
	return a.stopServer(s, acct, noForce)
}
