//go:build linux || darwin

package appserver

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"swop/manager/process"
)

const (
	// stopCommandTime: `daemon stop` of an idle server took 0.1 s to 1.9 s (0.132 to 0.169); it waits itself for up to 70 s.
	stopCommandTime = 10 * time.Second
	// stopRounds: a TUI that is open may start a new server while the old one is stopped.
	stopRounds = 3
)

// StopServer stops an account's background servers and updaters and returns when they are gone; at once if there are none. An
// idle server is asked by `codex app-server daemon stop`, what is left then gets SIGTERM and, after a while, SIGKILL. A hung
// server does not get the first.
//
// With [KeepTurns] it fails, wrapping [ErrServerBusy], where a server runs a turn or a command of one, or has a session open and does
// not answer. A turn that begins meanwhile ends before the server does, or the error is the same.
func StopServer(ctx context.Context, s ServerStop) error {
	for round := 0; ; round++ {
		t, err := process.AccountProcesses(s.CodexHome)
		if err != nil {
			return err
		}
		servers := t.Servers()
		if len(servers) == 0 {
			return nil
		}
		if round == stopRounds {
			return fmt.Errorf("%w: %v is started again and again", ErrServerBusy, servers[len(servers)-1])
		}
		if err := s.round(ctx, t, servers); err != nil {
			return err
		}
	}
}

// round ends the servers of one look.
func (s ServerStop) round(ctx context.Context, t process.ProcessTable, servers []process.Process) error {
	state := idle
	for _, p := range servers {
		is, why := activityOf(t, p, s.CodexHome)
		if why != "" && s.Turns == KeepTurns {
			return fmt.Errorf("%w: %v %s", ErrServerBusy, p, why)
		}
		state = max(state, is)
	}
	ends, err := openEnds(servers)
	defer ends.close()
	if err != nil {
		return err
	}
	asked := notAsked
	if state == idle && !servers[len(servers)-1].IsUpdater() {
		asked = s.askToStop(ctx)
	}
	for _, e := range ends {
		if e.server.IsUpdater() {
			err = s.end(ctx, e, state, notAsked) // `daemon stop` leaves it behind
		} else {
			err = s.end(ctx, e, state, asked)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stopAsked is how `daemon stop` went.
type stopAsked uint8

const (
	notAsked   stopAsked = iota
	stopFailed           // there is no such command, or it waited too long
	stopDone             // the server is gone or will be soon: the command returns before
)

// askToStop runs `daemon stop`.
func (s ServerStop) askToStop(ctx context.Context) stopAsked {
	if len(s.Codex) == 0 {
		return notAsked
	}
	ctx, cancel := context.WithTimeout(ctx, stopCommandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Codex[0], append(slices.Clone(s.Codex[1:]), "app-server", "daemon", "stop")...)
	cmd.Env = s.Env
	cmd.Dir = s.CodexHome
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) } // npm's launcher passes it on
	cmd.WaitDelay = time.Second
	if cmd.Run() != nil {
		return stopFailed
	}
	return stopDone
}
