//go:build unix

package appserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/account/process"
)

// stopRounds: a TUI that is open may start a new server while the old one is stopped.
const stopRounds = 3

// Stop stops an account's background servers and updaters and returns when they are gone; it does nothing if none runs. A server gets SIGTERM, as
// `codex app-server daemon stop` sends it, and SIGKILL after a while.
//
// Without EndTurns it fails, wrapping [ErrBusy], if a server runs a turn or a command of one, or has a session open and does not
// answer. A turn that begins meanwhile ends before the server does, or the error is the same.
func Stop(ctx context.Context, o StopOptions) error {
	for round := 0; ; round++ {
		t, err := process.OfAccount(o.CodexHome)
		if err != nil {
			return err
		}
		servers := t.Servers()
		if len(servers) == 0 {
			return nil
		}
		if round == stopRounds {
			return fmt.Errorf("%w: another program keeps starting %v", ErrBusy, servers[len(servers)-1])
		}
		if err := o.allFree(t, servers); err != nil {
			return err
		}
		for _, p := range servers {
			if err := o.endOne(ctx, p); err != nil {
				return err
			}
		}
	}
}

// allFree fails without EndTurns, wrapping ErrBusy, if one of the servers must not be stopped.
func (o StopOptions) allFree(t process.Table, servers []process.Process) error {
	for _, p := range servers {
		if o.EndTurns {
			break
		}
		if why := busy(t, p, o.CodexHome); why != "" {
			return fmt.Errorf("%w: %v %s", ErrBusy, p, why)
		}
	}
	return nil
}

// endOne ends one server and waits for it. The first signal that a server gets lets a turn finish that has just begun, and the later
// ones do not: so it is checked again before each of those.
func (o StopOptions) endOne(ctx context.Context, p process.Process) error {
	now, err := p.Current()
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%v: %w", p, err)
	}
	if !now.IsServer() { // it runs another program since
		return nil
	}
	for i, step := range endSteps {
		if i > 0 {
			if err := o.stillFree(p); err != nil {
				return err
			}
		}
		switch err := p.Signal(step.signal); {
		case errors.Is(err, os.ErrProcessDone):
			return nil
		case err != nil:
			return fmt.Errorf("%v: %w", p, err)
		}
		if ended, err := p.Wait(ctx, step.wait); ended || err != nil {
			return err
		}
	}
	return fmt.Errorf("%v survives SIGKILL", p)
}

// endSteps are the signals that a server gets, and how long it may take to end after each. SIGTERM ends an idle server in 0.05 s and lets a busy
// one finish its turn; a second SIGTERM ends that one at once (0.169). A stopped or hung one needs SIGKILL.
var endSteps = []struct {
	signal unix.Signal
	wait   time.Duration
}{{unix.SIGTERM, time.Second}, {unix.SIGTERM, 5 * time.Second}, {unix.SIGKILL, 10 * time.Second}}

// stillFree is allFree of a server that may have got a turn since.
func (o StopOptions) stillFree(p process.Process) error {
	t, err := process.OfAccount(o.CodexHome)
	if err != nil {
		return err
	}
	return o.allFree(t, []process.Process{p})
}
