package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// isServer reports whether p is the background app-server of its codex home, or that server's updater: the program is codex, it leads its
// own session, and it was started to listen on the account's socket or to update. An app-server that an editor or the SDK talks to over its
// standard streams is a session.
func (p Process) isServer() bool {
	return p.session == p.PID && p.isCodex() && (p.isUpdater() || listens(p.args))
}

// isCodex reports whether p's program is named as codex's own are: codex, or codex-x86_64-unknown-linux-musl.
func (p Process) isCodex() bool {
	name := filepath.Base(p.exe)
	return name == "codex" || strings.HasPrefix(name, "codex-") && name != "codex-swop"
}

// isUpdater reports whether p's arguments are "app-server pid-update-loop", or since 0.158 "app-server daemon pid-update-loop".
func (p Process) isUpdater() bool {
	return slices.Index(p.args, "app-server") > 0 && p.args[len(p.args)-1] == "pid-update-loop"
}

// listens reports whether the arguments are like "[--enable remote_control] app-server --listen unix:// …".
func listens(args []string) bool {
	at, listen := slices.Index(args, "app-server"), slices.Index(args, "--listen")
	return at > 0 && listen > at && listen+1 < len(args) && strings.HasPrefix(args[listen+1], "unix://")
}

// Servers returns the background app-servers of the account whose codex home is codexHome, and their updaters, updaters first. [isServer]
// recognizes them, never a pid file, which may be stale and name an unrelated process.
func (s Survey) Servers(codexHome string) []Process {
	home, _ := os.Stat(codexHome) // what is missing has none
	var updaters, servers []Process
	for _, pid := range slices.Sorted(maps.Keys(s)) {
		switch p := s[pid]; {
		case !p.isIn(home) || !p.isServer():
		case p.isUpdater():
			updaters = append(updaters, p)
		default:
			servers = append(servers, p)
		}
	}
	return append(updaters, servers...)
}

// StopServers stops an account's background servers and updaters, if there are any, and returns when they have ended. A server gets
// SIGTERM, as `codex app-server daemon stop` sends it. Without EndTurns the error wraps [ErrBusy] if a server is at work, or does not end;
// with it, such a server gets another SIGTERM, and SIGKILL.
func StopServers(ctx context.Context, o StopOptions) error {
	s, err := TakeSurvey()
	if err != nil {
		return err
	}
	servers := s.Servers(o.CodexHome)
	for _, p := range servers {
		if why := s.busy(p, o.Now()); why != "" && !o.EndTurns {
			return fmt.Errorf("%w: %v %s", ErrBusy, p, why)
		}
	}
	for _, p := range servers {
		if err := o.end(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// end ends one server and waits for it.
func (o StopOptions) end(ctx context.Context, p Process) error {
	steps := ending
	if !o.EndTurns {
		steps = steps[1:2]
	}
	for _, step := range steps {
		err := p.signal(step.signal)
		if errors.Is(err, os.ErrProcessDone) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
		if ended, err := p.wait(ctx, step.wait); ended || err != nil {
			return err
		}
	}
	if !o.EndTurns {
		return fmt.Errorf("%w: %v does not end", ErrBusy, p)
	}
	return fmt.Errorf("%v survives SIGKILL", p)
}

// ending are the signals that a server gets, and how long it may take to end after each. SIGTERM ends an idle server in 0.05 s
// and lets a busy one finish its turn; a second SIGTERM ends that one at once (0.169). A stopped or hung one needs SIGKILL.
var ending = []struct {
	signal unix.Signal
	wait   time.Duration
}{{unix.SIGTERM, time.Second}, {unix.SIGTERM, 3 * time.Second}, {unix.SIGKILL, 10 * time.Second}}

// atWork is the age of the newest transcript from which on a server is idle.
const atWork = time.Minute

// busy returns why swop must not stop the server p without asking, for people; "" if it may. A command of a turn that is over counts, too:
// codex runs it as a background terminal, and it dies with the server.
func (s Survey) busy(p Process, now time.Time) string {
	for _, command := range s {
		if command.inTurn && slices.ContainsFunc(s.ancestors(command.PID), func(up Process) bool { return up.PID == p.PID }) {
			return fmt.Sprintf("runs %v", command)
		}
	}
	transcripts, err := p.openFiles(func(name string) bool { return strings.Contains(name, "/sessions/") })
	switch {
	case isShortage(err):
		return "cannot be looked at: " + err.Error()
	case slices.ContainsFunc(transcripts, func(file fs.FileInfo) bool { return now.Sub(file.ModTime()) < atWork }):
		return "wrote a transcript less than a minute ago"
	}
	return ""
}

// signal signals the process; of an account's updater, which leads its group, the whole group, because it may run an installer. It fails
// with os.ErrProcessDone if the process has ended, even when its pid was reused: the system's handle is taken before the start time is
// compared.
func (p Process) signal(s unix.Signal) error {
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return err
	}
	defer func() { _ = handle.Release() }() // it was only signalled
	if _, err := p.current(); err != nil {
		return err
	}
	if p.isUpdater() {
		return os.NewSyscallError("kill", unix.Kill(-p.PID, s))
	}
	return handle.Signal(s)
}

// wait reports whether the process ended within d. The error is ctx's, if that ended first.
func (p Process) wait(ctx context.Context, d time.Duration) (bool, error) {
	const pause = 20 * time.Millisecond // its end is no event
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		if _, err := p.current(); errors.Is(err, os.ErrProcessDone) {
			return true, ctx.Err()
		}
		select {
		case <-limited.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
	}
}
