//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// stopRounds: a TUI that is open may start a new server while the old one is stopped.
const stopRounds = 3

// StopServers stops an account's background servers and updaters and returns when they are gone; it does nothing if none runs. A
// server gets SIGTERM, as `codex app-server daemon stop` sends it, and SIGKILL after a while. Without EndTurns it fails, wrapping
// [ErrBusy], if one is at work.
func StopServers(ctx context.Context, o StopOptions) error {
	for round := 0; ; round++ {
		t, err := OfAccount(o.CodexHome)
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
		if err := o.refuseBusy(t, servers...); err != nil {
			return err
		}
		for _, p := range servers {
			if err := o.endOne(ctx, p); err != nil {
				return err
			}
		}
	}
}

// refuseBusy fails without EndTurns, wrapping ErrBusy, if one of the servers must not be stopped without asking.
func (o StopOptions) refuseBusy(t Table, servers ...Process) error {
	for _, p := range servers {
		if why := t.busy(p, o.Now()); why != "" && !o.EndTurns {
			return fmt.Errorf("%w: %v %s", ErrBusy, p, why)
		}
	}
	return nil
}

// endOne ends one server and waits for it. The first signal lets a turn finish that has just begun, and the later ones do not: so
// each of those is sent only if the server is still not at work.
func (o StopOptions) endOne(ctx context.Context, p Process) error {
	now, err := p.Current()
	for i, step := range endSteps {
		if err == nil && !now.IsServer() {
			return nil // it runs another program since
		}
		if err == nil && i > 0 {
			var t Table
			if t, err = OfAccount(o.CodexHome); err == nil {
				err = o.refuseBusy(t, p)
			}
		}
		if err == nil {
			err = p.Signal(step.signal)
		}
		switch {
		case errors.Is(err, os.ErrProcessDone):
			return nil
		case errors.Is(err, ErrBusy):
			return err
		case err != nil:
			return fmt.Errorf("%v: %w", p, err)
		}
		if ended, err := p.Wait(ctx, step.wait); ended || err != nil {
			return err
		}
	}
	return fmt.Errorf("%v survives SIGKILL", p)
}

// endSteps are the signals that a server gets, and how long it may take to end after each. SIGTERM ends an idle server in 0.05 s
// and lets a busy one finish its turn; a second SIGTERM ends that one at once (0.169). A stopped or hung one needs SIGKILL.
var endSteps = []struct {
	signal unix.Signal
	wait   time.Duration
}{{unix.SIGTERM, time.Second}, {unix.SIGTERM, 5 * time.Second}, {unix.SIGKILL, 10 * time.Second}}

// atWork is how long ago a transcript was written at least where a server is taken for idle.
const atWork = time.Minute

// busy says in words why the server p must not be stopped without asking, "" if it may be. A command of a turn that is over
// counts too: codex keeps it as a background terminal, and it dies with the server. Where open files cannot be seen, a server always is.
func (t Table) busy(p Process, now time.Time) string {
	for _, command := range t {
		if command.env.thread != "" && t.descends(command.PID, p.PID) {
			return fmt.Sprintf("runs %v", command)
		}
	}
	if p.IsUpdater() {
		return ""
	}
	if !DescriptorsVisible {
		return "may run a turn"
	}
	for fd, name := range p.OpenFiles() {
		if !strings.Contains(name, "/sessions/") {
			continue
		}
		if info, err := os.Stat(fd); err == nil && now.Sub(info.ModTime()) < atWork {
			return "wrote a transcript less than a minute ago"
		}
	}
	return ""
}
