package appserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"swop/internal/account/process"
	"swop/internal/account/process/processtest"
	"swop/internal/test/testhome"
)

// wantServers checks that these are the account's servers and updaters, updaters first.
func wantServers(t *testing.T, a processtest.Account, want ...int) {
	t.Helper()
	list, err := process.Servers(a.CodexHome)
	testhome.NoError(t, err)
	var got []int
	for _, p := range list {
		got = append(got, p.PID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Servers = %v, want the pids %v", list, want)
	}
}

const (
	keepTurns = false
	endTurns  = true
)

func stop(t *testing.T, a processtest.Account, endTurns bool) error {
	t.Helper()
	return Stop(context.Background(), StopOptions{CodexHome: a.CodexHome, EndTurns: endTurns})
}

func wantAlive(t *testing.T, c processtest.Child) {
	t.Helper()
	if !c.Alive(t) {
		t.Errorf("%v has ended, want it alive", c.Args)
	}
}

func TestStopWithoutServer(t *testing.T) {
	testhome.NoError(t, stop(t, processtest.NewAccount(t), keepTurns))
}

func TestStopIdle(t *testing.T) {
	for _, role := range []string{"idle", "mcp"} {
		a, other := processtest.NewAccount(t), processtest.NewAccount(t)
		session := processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
		unrelated := startServer(t, other, "idle")
		startServer(t, a, role)
		startServer(t, a, "updater")
		testhome.NoError(t, stop(t, a, keepTurns))
		wantServers(t, a)
		wantServers(t, other, unrelated.Process.Pid)
		wantAlive(t, session)
	}
}

func TestStopBusy(t *testing.T) {
	for role, why := range map[string]string{"turn": "runs a turn", "refused": "runs a turn", "terminal": `runs "`} {
		a := processtest.NewAccount(t)
		server := startServer(t, a, role)
		updater := startServer(t, a, "updater")
		err := stop(t, a, keepTurns)
		if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), why) {
			t.Errorf("Stop of a server with a %s: %v, want %v, %q", role, err, ErrBusy, why)
		}
		wantServers(t, a, updater.Process.Pid, server.Process.Pid)
		if err := stop(t, a, endTurns); err != nil {
			t.Errorf("Stop of a server with a %s, asked to end it: %v", role, err)
		}
		wantServers(t, a)
	}
}

// A server that SIGSTOP stopped does not answer, and takes no SIGTERM.
func TestStopHung(t *testing.T) {
	for role, ok := range map[string]bool{"idle": true, "session": false} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			a := processtest.NewAccount(t)
			hung := startServer(t, a, role)
			hung.Stop(t)
			err := stop(t, a, keepTurns)
			if ok && err != nil || !ok && !errors.Is(err, ErrBusy) {
				t.Errorf("Stop: %v", err)
			}
			if err := stop(t, a, endTurns); err != nil {
				t.Error(err)
			}
			wantServers(t, a)
		})
	}
}

// A pid file that names an unrelated process does not get that stopped.
func TestStopIgnoresPidFiles(t *testing.T) {
	a := processtest.NewAccount(t)
	unrelated := processtest.Start(t, processtest.Cat())
	dir := filepath.Join(a.CodexHome, "app-server-daemon")
	for _, name := range []string{"daemon.pid", "daemon-updater.pid", "app-server.pid"} {
		f := mustCreate(t, dir, name)
		fmt.Fprintf(f, `{"pid":%d,"processStartTime":"Fri Nov 20 09:08:31 2026"}`, unrelated.Process.Pid)
		f.Close()
	}
	wantServers(t, a)
	if err := stop(t, a, endTurns); err != nil {
		t.Error(err)
	}
	wantAlive(t, unrelated)
}

func TestStopCancelled(t *testing.T) {
	a := processtest.NewAccount(t)
	hung := startServer(t, a, "idle")
	hung.Stop(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := Stop(ctx, StopOptions{CodexHome: a.CodexHome, EndTurns: true})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Stop = %v, want %v", err, context.Canceled)
	}
	wantAlive(t, hung)
}

// An answer of another process on the control socket does not count.
func TestRunningTurnsOfAnother(t *testing.T) {
	a := processtest.NewAccount(t)
	listenFake(t, a.CodexHome, "turn")
	socket := filepath.Join(a.CodexHome, "app-server-control", "app-server-control.sock")
	if n, err := runningTurns(socket, os.Getpid()); n != 1 || err != nil {
		t.Errorf("runningTurns = %d, %v, want 1", n, err)
	}
	if _, err := runningTurns(socket, os.Getpid()+1); !errors.Is(err, errOtherServer) {
		t.Errorf("runningTurns of another process: %v, want %v", err, errOtherServer)
	}
}
