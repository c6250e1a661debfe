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
	defer held.close()
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

// stopped are the handles of stopped processes, by pid.
type stopped map[int]Handle

// stop stops those that are not held yet, and reports whether there were any.
func (held stopped) stop(list []Process) (found bool, err error) {
	for _, p := range list {
		if _, ok := held[p.PID]; ok {
			continue
		}
		h, err := p.Open()
		if err == nil {
			if err = h.Signal(unix.SIGSTOP); err == nil {
				held[p.PID], found = h, true
				continue
			}
			h.Close()
		}
		if !errors.Is(err, os.ErrProcessDone) {
			return found, fmt.Errorf("%v: %w", p, err)
		}
	}
	return found, nil
}

func (held stopped) kill(ctx context.Context) error {
	for _, h := range held {
		if err := h.Signal(unix.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("%v: %w", h, err)
		}
	}
	for _, h := range held {
		if gone, err := h.Wait(ctx, killWait); err != nil {
			return err
		} else if !gone {
			return fmt.Errorf("%v survives SIGKILL", h)
		}
	}
	return nil
}

func (held stopped) close() {
	for _, h := range held {
		h.Close()
	}
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

// watchPause is the time between two looks at a process whose end is no event.
const watchPause = 20 * time.Millisecond

// kill signals p by its pid, after it has compared the start time. It fails with os.ErrProcessDone if p has ended. Between the
// comparison and the signal p could still end and its pid be reused; that takes all other pids to be used once within microseconds.
func (p Process) kill(s unix.Signal) error {
	if _, err := p.reread(); err != nil {
		return err
	}
	return doneOr("kill", unix.Kill(p.PID, s))
}

// watch reports whether p ended before ctx did, by looking again and again.
func (p Process) watch(ctx context.Context) bool {
	for {
		if _, err := p.reread(); errors.Is(err, os.ErrProcessDone) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(watchPause):
		}
	}
}

// doneOr returns the error of a system call, and os.ErrProcessDone where the call found no such process.
func doneOr(call string, err error) error {
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	return os.NewSyscallError(call, err)
}
