//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// killWait is how long a killed process may take to be gone: one that waits for a disk outlasts its SIGKILL.
const killWait = 10 * time.Second

// EndTree kills the process called by pid, all that descends from it and the session that it leads or led, and waits until they are
// gone. It stops them first, until it finds no other: so none escapes by starting one between the look and its end. The error is
// ctx's, or names a process that survives, or says why not all could be looked at; what was stopped until then is killed all the same.
// Unproven on macOS: built, and never run there.
func EndTree(ctx context.Context, pid int) error {
	held := stopped{}
	for {
		list, err := tree(pid)
		found := false
		if err == nil {
			found, err = held.stop(list)
		}
		if err != nil || !found {
			return errors.Join(err, held.kill(ctx))
		}
	}
}

// stopped are stopped processes, by pid.
type stopped map[int]Process

// stop stops those that are not stopped yet, and reports whether there were any.
func (held stopped) stop(list []Process) (found bool, err error) {
	for _, p := range list {
		if _, ok := held[p.PID]; ok {
			continue
		}
		err := p.Signal(unix.SIGSTOP)
		switch {
		case err == nil:
			held[p.PID], found = p, true
		case !errors.Is(err, os.ErrProcessDone):
			return found, fmt.Errorf("%v: %w", p, err)
		}
	}
	return found, nil
}

func (held stopped) kill(ctx context.Context) error {
	for _, p := range held {
		if err := p.Signal(unix.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("%v: %w", p, err)
		}
	}
	for _, p := range held {
		if gone, err := p.Wait(ctx, killWait); err != nil {
			return err
		} else if !gone {
			return fmt.Errorf("%v survives SIGKILL", p)
		}
	}
	return nil
}

// tree returns the live processes of this user that are pid, descend from it, or are in the session that it leads or led. A process
// that left its session and outlived its parent is not found.
func tree(pid int) ([]Process, error) {
	list, err := readProcesses()
	if err != nil {
		return nil, err
	}
	t := make(Table, len(list))
	for _, p := range list {
		t[p.PID] = p
	}
	var found []Process
	for _, p := range list {
		if p.PID == pid || p.session == pid || p.parent == pid || t.descends(p.PID, pid) {
			found = append(found, p)
		}
	}
	return found, nil
}

// Signal signals the process; of an account's updater, which leads its group, the whole group, because it may run an installer. It fails
// with os.ErrProcessDone if the process has ended, even when its pid was reused: the system's handle is taken before the start time is
// compared.
func (p Process) Signal(s unix.Signal) error {
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return err
	}
	defer func() { _ = handle.Release() }() // it was only signalled
	now, err := p.Current()
	switch {
	case err != nil:
		return err
	case now.IsServer() && now.IsUpdater():
		return os.NewSyscallError("kill", unix.Kill(-p.PID, s))
	}
	return handle.Signal(s)
}

// watchPause is the time between two looks at a process, whose end is no event.
const watchPause = 20 * time.Millisecond

// Wait reports whether the process ended within d. The error is ctx's, if that ended first.
func (p Process) Wait(ctx context.Context, d time.Duration) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		if p.hasEnded() {
			return true, ctx.Err()
		}
		select {
		case <-limited.Done():
			return false, ctx.Err()
		case <-time.After(watchPause):
		}
	}
}
