//go:build unix

package appserver

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"swop/account/process"
	"swop/say"
)

// ErrBusy says that to stop an account's background server would cut off its work.
var ErrBusy = errors.New("background server busy")

// StopOptions say which servers [Stop] stops, and how.
type StopOptions struct {
	CodexHome string   // of the account; absolute
	Codex     []string // the command of the real codex, to which arguments are added; empty: the server is not asked
	Env       []string // the account's environment, for that command
	EndTurns  bool     // also those that still run a turn, which is cut off
}

// stopRounds: a TUI that is open may start a new server while the old one is stopped.
const stopRounds = 3

// Stop stops an account's background servers and updaters and returns when they are gone; it does nothing if none runs. An idle server
// is asked with `codex app-server daemon stop`. On Linux what still runs then gets SIGTERM and, after a while, SIGKILL; a hung server
// is not asked. On macOS nothing is signalled: Stop fails if a server or updater still runs, with a hint how to end it. That is
// unproven: it was built, and never run on a Mac.
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
		most, err := o.mostActive(t, servers)
		if err != nil {
			return err
		}
		if err := o.end(ctx, servers, most); err != nil {
			return err
		}
	}
}

// mostActive returns what the most active of the servers does. Without EndTurns it fails, wrapping ErrBusy, if one must not be stopped.
func (o StopOptions) mostActive(t process.Table, servers []process.Process) (activity, error) {
	most := idle
	for _, p := range servers {
		does, why := activityOf(t, p, o.CodexHome)
		if why != "" && !o.EndTurns {
			return does, fmt.Errorf("%w: %v %s", ErrBusy, p, why)
		}
		most = max(most, does)
	}
	return most, nil
}

const (
	// askTime: `daemon stop` of an idle server took 0.1 s to 1.9 s (0.132 to 0.169); the command itself waits for up to 70 s.
	askTime = 10 * time.Second
	// askedEndTime: after `daemon stop` a server took up to 4 s to end.
	askedEndTime = 5 * time.Second
)

// ask runs `codex app-server daemon stop`, if there is a server to ask, and waits for the servers' end if that succeeds: the command
// returns before. It reports whether it ran the command. An updater outlives the command. The error is ctx's, or the system's.
func (o StopOptions) ask(ctx context.Context, servers []process.Process) (asked bool, err error) {
	if len(o.Codex) == 0 || servers[len(servers)-1].IsUpdater() {
		return false, nil
	}
	if o.daemonStop(ctx) != nil {
		return true, nil // there is no such command, or it waits too long
	}
	for _, p := range servers {
		if p.IsUpdater() {
			continue
		}
		if _, err := p.Wait(ctx, askedEndTime); err != nil {
			return true, err
		}
	}
	return true, nil
}

func (o StopOptions) daemonStop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Codex[0], append(slices.Clone(o.Codex[1:]), "app-server", "daemon", "stop")...)
	cmd.Env = o.Env
	cmd.Dir = o.CodexHome
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) } // npm's launcher passes it on
	cmd.WaitDelay = time.Second
	return cmd.Run()
}

// askOnly asks the servers to stop and fails if one is still running then.
func (o StopOptions) askOnly(ctx context.Context, servers []process.Process) error {
	if _, err := o.ask(ctx, servers); err != nil {
		return err
	}
	for _, p := range servers {
		ended, err := p.Wait(ctx, 0)
		if err != nil {
			return err
		}
		if !ended {
			err := fmt.Errorf("the background server %v is still running, and swop does not kill it on this system", p)
			return say.WithHint(err, fmt.Sprintf("kill %d", p.PID))
		}
	}
	return nil
}
