//go:build linux || darwin

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
