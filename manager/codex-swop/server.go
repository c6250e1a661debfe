//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/manager"
	"swop/manager/process"
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
func (a *app) stopServer(s scene, account manager.Account, how force) error {
	ready := shim.Ready{Account: account, Root: s.Root, Settings: s.settings}
	return a.stopServerAt(s, account.CodexHome(), s.Environment(ready), how)
}

func (a *app) stopServerAt(s scene, codexHome string, env config.Env, how force) error {
	stop := process.ServerStop{CodexHome: codexHome, Env: env}
	if real, err := a.codex(s); err == nil {
		stop.Codex = []string{real.Path}
	}
	if how == forced {
		stop.Turns = process.EndTurns
	}
	err := process.StopServer(context.Background(), stop)
	if !errors.Is(err, process.ErrServerBusy) {
		return err
	}
	if yes, askErr := confirm(fmt.Sprintf("swop: %v. Stop it all the same?", err)); askErr != nil || !yes {
		return config.WithHint(err, how.hint("wait until it has finished", "wait until it has finished, or use --force"))
	}
	stop.Turns = process.EndTurns
	return process.StopServer(context.Background(), stop)
}

// idle refuses an account that is in use, after its server was stopped, and takes it exclusively. What cannot be known, since the
// file system has no locks, wants force.
func (a *app) idle(s scene, account manager.Account, how force) (manager.Lock, error) {
	if err := refuseUse(s, account); err != nil {
		return manager.Lock{}, err
	}
	if err := a.stopServer(s, account, how); err != nil {
		return manager.Lock{}, err
	}
	var l manager.Lock
	err := briefly(func() (again bool, err error) { // another verb or start may look at the account just now
		l, err = s.store.LockExclusive(account.Key)
		return errors.Is(err, manager.ErrInUse), err
	})
	if errors.Is(err, manager.ErrInUse) {
		return l, inUse(account, "its lock is held")
	}
	if err != nil {
		return l, err
	}
	if l.Unsupported && how != forced {
		err := fmt.Errorf("%w: whether account %q is in use cannot be known, the file system has no locks", manager.ErrUnsafe, account.Meta.Label)
		return l, config.WithHint(err, how.hint("set SWOP_ROOT to a directory on a file system with locks", "close its sessions and use --force"))
	}
	if err := refuseUse(s, account); err != nil {
		l.Release()
		return l, err
	}
	return l, nil
}

// refuseUse refuses an account that is in use. What a codex that has ended leaves behind for a moment is waited for.
func refuseUse(s scene, account manager.Account) error {
	var use process.Use
	err := briefly(func() (again bool, err error) {
		use, err = process.InUse(account.CodexHome(), s.store.LockFile(account.Key))
		return use.Passing(), err
	})
	switch {
	case err != nil:
		return err
	case use.Passing():
		p := use.Processes[0]
		err := inUseBy(account, fmt.Sprintf("%v reads your shell's start files for a codex that has ended", p))
		return config.WithHint(err, fmt.Sprintf("wait for it, or: kill %d", p.PID))
	}
	if len(use.Processes) > 0 {
		return inUse(account, fmt.Sprintf("by %v", use.Processes[0]))
	}
	if use.Any() {
		return inUse(account, "by a process that cannot be seen from here")
	}
	return nil
}

func inUse(account manager.Account, by string) error {
	return config.WithHint(inUseBy(account, by), "end its sessions first")
}

func inUseBy(account manager.Account, by string) error {
	return fmt.Errorf("account %q is %w: %s", account.Meta.Label, manager.ErrInUse, by)
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

// stopServerCommand is for the shim, before a plain codex login or logout.
func (a *app) stopServerCommand() *cobra.Command {
	return a.forShim("stop-server", "Stop the account's background server", func(s scene, account manager.Account) error {
		return a.stopServer(s, account, noForce)
	})
}

// silentCommand is for the shim, which waits for it with the account locked, before it moves a database.
func (a *app) silentCommand() *cobra.Command {
	short := "Tell by the exit status whether any process but the caller uses the account"
	return a.forShim("silent", short, func(s scene, account manager.Account) error {
		silent, err := s.silentBut(account, os.Getppid())
		if err == nil && !silent {
			err = exited(statusFailed)
		}
		return err
	})
}

// forShim is a verb that the shim calls for one account, and people do not.
func (a *app) forShim(verb, short string, run func(scene, manager.Account) error) *cobra.Command {
	return &cobra.Command{
		Use:    verb + " LABEL",
		Short:  short,
		Hidden: true,
		Args:   wants(1, 1, "a label"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.look()
			if err != nil {
				return err
			}
			account, err := s.store.Find(args[0])
			if err != nil {
				return err
			}
			return run(s, account)
		},
	}
}
