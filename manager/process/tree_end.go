//go:build linux || darwin

package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// killWait is how long a killed process may take to be gone: one that waits for a disk outlasts its SIGKILL.
const killWait = 10 * time.Second

// EndTree kills the [Tree] of pid and waits until it is gone. Its processes are stopped first, until a look finds no other: none gets
// away by starting one between the look and its end. The error is ctx's, or names what survives, or says why not all could be looked at:
// what was stopped by then is killed all the same.
func EndTree(ctx context.Context, pid int) error {
	held := treeHeld{}
	defer held.close()
	for {
		list, err := Tree(pid)
		found := false
		if err == nil {
			found, err = held.stop(list)
		}
		if err != nil || !found {
			return errors.Join(err, held.kill(ctx))
		}
	}
}

// treeHeld are processes that are stopped, by pid.
type treeHeld map[int]heldProcess

type heldProcess struct {
	handle  ProcessHandle
	process Process
}

// stop stops those that are not held yet, and says whether there were any.
func (held treeHeld) stop(list []Process) (found bool, err error) {
	for _, p := range list {
		if _, ok := held[p.PID]; ok {
			continue
		}
		h, err := OpenProcess(p.PID)
		if errors.Is(err, unix.ESRCH) {
			continue // it has ended
		}
		if err != nil {
			return found, fmt.Errorf("%v: %w", p, err)
		}
		if _, err = p.Again(); err == nil {
			err = h.Signal(p, unix.SIGSTOP)
		}
		if err == nil {
			held[p.PID], found = heldProcess{h, p}, true
			continue
		}
		h.Close()
		if !errors.Is(err, unix.ESRCH) && !errors.Is(err, fs.ErrNotExist) {
			return found, fmt.Errorf("%v: %w", p, err)
		}
	}
	return found, nil
}

func (held treeHeld) kill(ctx context.Context) error {
	for _, one := range held {
		if err := one.handle.Signal(one.process, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%v: %w", one.process, err)
		}
	}
	for _, one := range held {
		if gone, err := one.handle.Wait(ctx, one.process, killWait); err != nil {
			return err
		} else if !gone {
			return fmt.Errorf("%v survives SIGKILL", one.process)
		}
	}
	return nil
}

func (held treeHeld) close() {
	for _, one := range held {
		one.handle.Close()
	}
}
