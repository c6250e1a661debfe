//go:build unix

package appserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"swop/account/process"
)

// ErrBusy says that to stop an account's background server would cut off its work.
var ErrBusy = errors.New("background server busy")

// StopOptions say which servers [Stop] stops, and how.
type StopOptions struct {
	CodexHome string          // of the account; absolute
	Codex     func() []string // returns the command of the real codex, to which arguments are added; nil, or empty: the server is not asked
	Env       []string        // the account's environment, for that command
	EndTurns  bool            // also those that still run a turn, which is cut off
}

// stopRounds: a TUI that is open may start a new server while the old one is stopped.
const stopRounds = 3

// Stop stops an account's background servers and updaters and returns when they are gone; it does nothing if none runs. An idle server
// is asked with `codex app-server daemon stop`. What still runs then gets SIGTERM and, after a while, SIGKILL; a hung server is not asked.
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
		idle, err := o.allIdle(t, servers)
		if err != nil {
			return err
		}
		if err := o.end(ctx, servers, idle); err != nil {
			return err
		}
	}
}

// allIdle reports whether all of the servers are idle. Without EndTurns it fails, wrapping ErrBusy, if one must not be stopped.
func (o StopOptions) allIdle(t process.Table, servers []process.Process) (bool, error) {
	all := true
	for _, p := range servers {
		idle, why := isIdle(t, p, o.CodexHome)
		if why != "" && !o.EndTurns {
			return false, fmt.Errorf("%w: %v %s", ErrBusy, p, why)
		}
		all = all && idle
	}
	return all, nil
}

// end asks the servers to stop if they are idle, and ends those that still run.
func (o StopOptions) end(ctx context.Context, servers []process.Process, idle bool) (err error) {
	asked := false
	if idle {
		if asked, err = o.ask(ctx, servers); err != nil {
			return err
		}
	}
	for _, p := range servers {
		if err := o.endOne(ctx, p, asked && !p.IsUpdater()); err != nil {
			return err
		}
	}
	return nil
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
	if o.Codex == nil || servers[len(servers)-1].IsUpdater() {
		return false, nil
	}
	codex := o.Codex()
	if len(codex) == 0 {
		return false, nil
	}
	if o.daemonStop(ctx, codex) != nil {
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

func (o StopOptions) daemonStop(ctx context.Context, codex []string) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, codex[0], append(slices.Clone(codex[1:]), "app-server", "daemon", "stop")...)
	cmd.Env = o.Env
	cmd.Dir = o.CodexHome
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) } // npm's launcher passes it on
	cmd.WaitDelay = time.Second
	return cmd.Run()
}

// endOne ends one server and waits for it. The first signal that a server gets lets a turn finish that has just begun, and the later
// ones do not: so it is checked again before each of those. A server that was told to stop counts as one that got the first.
func (o StopOptions) endOne(ctx context.Context, p process.Process, told bool) error {
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
	for _, step := range endSteps {
		if told {
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
		told = true
	}
	return fmt.Errorf("%v survives SIGKILL", p)
}

// endSteps are the signals that a server gets, and how long it may take to end after each. SIGTERM ends an idle server in 0.05 s and lets a busy
// one finish its turn; a second SIGTERM ends that one at once (0.169). A stopped or hung one needs SIGKILL.
var endSteps = []struct {
	signal unix.Signal
	wait   time.Duration
}{{unix.SIGTERM, time.Second}, {unix.SIGTERM, 5 * time.Second}, {unix.SIGKILL, 10 * time.Second}}

// stillFree fails without EndTurns, wrapping ErrBusy, if the server has got a turn since it was told to stop.
func (o StopOptions) stillFree(p process.Process) error {
	if o.EndTurns {
		return nil
	}
	t, err := process.OfAccount(o.CodexHome)
	if err != nil {
		return err
	}
	_, err = o.allIdle(t, []process.Process{p})
	return err
}
