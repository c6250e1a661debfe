//go:build linux || darwin

package appserver

import (
	"context"
	"fmt"

	"swop/manager/process"
)

// stopRounds: a TUI that is open may start a new server while the old one is stopped.
const stopRounds = 3

// Stop stops an account's background servers and updaters and returns when they are gone; it does nothing if none runs. An idle server
// is asked with `codex app-server daemon stop`. On Linux what still runs then gets SIGTERM and, after a while, SIGKILL; a hung server
// is not asked. On macOS nothing is signalled: Stop fails if a server or updater still runs, with a hint how to end it. That is
// unproven: it was built, and never run on a Mac.
//
// With [KeepTurns] it fails, wrapping [ErrBusy], if a server runs a turn or a command of one, or has a session open and does not
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
		most, err := o.mostActive(t, servers)
		if err != nil {
			return err
		}
		if err := o.end(ctx, servers, most); err != nil {
			return err
		}
	}
}

// mostActive returns what the most active of the servers does. With KeepTurns it fails, wrapping ErrBusy, if one must not be stopped.
func (o StopOptions) mostActive(t process.Table, servers []process.Process) (activity, error) {
	most := idle
	for _, p := range servers {
		does, why := activityOf(t, p, o.CodexHome)
		if why != "" && o.Turns == KeepTurns {
			return does, fmt.Errorf("%w: %v %s", ErrBusy, p, why)
		}
		most = max(most, does)
	}
	return most, nil
}
