package appserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"swop/manager/process"
	"swop/manager/process/processtest"
)

func wantServers(t *testing.T, a processtest.TestAccount, want ...int) {
	t.Helper()
	list, err := process.ServerProcesses(a.CodexHome)
	if err != nil {
		t.Fatal(err)
	}
	if got := pids(list); !slices.Equal(got, want) {
		t.Errorf("ServerProcesses = %v, want the pids %v", list, want)
	}
}

func stop(t *testing.T, a processtest.TestAccount, turns TurnPolicy) error {
	t.Helper()
	return StopServer(context.Background(), ServerStop{CodexHome: a.CodexHome, Turns: turns})
}

// wantAlive wants a child not to have ended.
func wantAlive(t *testing.T, c processtest.Child) {
	t.Helper()
	if _, _, err := process.ReadProcess(c.Process.Pid, nil); err != nil {
		t.Errorf("%v: %v, want it alive", c.Args, err)
	}
}

// hang stops a child, and waits until it is: until then it may still answer, and take another signal first.
func hang(t *testing.T, c processtest.Child) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	processtest.WaitFor(t, c, unix.WSTOPPED)
}

func TestServerIsNoUse(t *testing.T) {
	a := processtest.NewTestAccount(t)
	lock := processtest.HoldLock(t, a, unix.LOCK_SH)
	server := startServer(t, a, "mcp", lock)
	updater := startServer(t, a, "updater", lock)
	lock.Close()
	wantServers(t, a, updater.Process.Pid, server.Process.Pid)
	wantUse(t, a)
}

func TestServerCommandIsUse(t *testing.T) {
	a := processtest.NewTestAccount(t)
	server := startServer(t, a, "terminal", nil)
	use := mustUse(t, a)
	if len(use.Processes) != 1 || use.Processes[0].Parent != server.Process.Pid {
		t.Errorf("InUse = %v, want the command that the server runs", use.Processes)
	}
}

// A lock that the server shares with a hidden command of a session counts.
func TestServerDoesNotHideHolder(t *testing.T) {
	a := processtest.NewTestAccount(t)
	lock := processtest.HoldLock(t, a, unix.LOCK_SH)
	startServer(t, a, "idle", lock)
	lock.Close()
	c := processtest.Holding(t, a, processtest.CatWith())
	wantUse(t, a, c.Process.Pid)
}

func TestStopServerNone(t *testing.T) {
	a := processtest.NewTestAccount(t)
	mustNotRun := []string{filepath.Join(a.Home, "missing")}
	err := StopServer(context.Background(), ServerStop{CodexHome: a.CodexHome, Codex: mustNotRun})
	if err != nil {
		t.Errorf("StopServer without a server: %v", err)
	}
}

func TestStopServerIdle(t *testing.T) {
	for _, role := range []string{"idle", "mcp"} {
		a, other := processtest.NewTestAccount(t), processtest.NewTestAccount(t)
		session := processtest.StartChild(t, processtest.CatWith("CODEX_HOME="+a.CodexHome))
		stranger := startServer(t, other, "idle", nil)
		startServer(t, a, role, nil)
		startServer(t, a, "updater", nil)
		if err := stop(t, a, KeepTurns); err != nil {
			t.Fatal(err)
		}
		wantServers(t, a)
		wantServers(t, other, stranger.Process.Pid)
		wantAlive(t, session)
	}
}

func TestStopServerBusy(t *testing.T) {
	for role, why := range map[string]string{"turn": "runs a turn", "refused": "runs a turn", "terminal": `runs "`} {
		a := processtest.NewTestAccount(t)
		server := startServer(t, a, role, nil)
		updater := startServer(t, a, "updater", nil)
		err := stop(t, a, KeepTurns)
		if !errors.Is(err, ErrServerBusy) || !strings.Contains(err.Error(), why) {
			t.Errorf("StopServer of a server with a %s: %v, want %v, %q", role, err, ErrServerBusy, why)
		}
		wantServers(t, a, updater.Process.Pid, server.Process.Pid)
		if err := stop(t, a, EndTurns); err != nil {
			t.Errorf("StopServer of a server with a %s, asked to end it: %v", role, err)
		}
		wantServers(t, a)
	}
}

// A server that was stopped does not answer and takes no SIGTERM.
func TestStopServerHung(t *testing.T) {
	for role, ok := range map[string]bool{"idle": true, "session": false} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			a := processtest.NewTestAccount(t)
			hung := startServer(t, a, role, nil)
			hang(t, hung)
			err := stop(t, a, KeepTurns)
			if ok && err != nil || !ok && !errors.Is(err, ErrServerBusy) {
				t.Errorf("StopServer: %v", err)
			}
			if err := stop(t, a, EndTurns); err != nil {
				t.Error(err)
			}
			wantServers(t, a)
		})
	}
}

// Pid files are not believed.
func TestStopServerForeignPidFile(t *testing.T) {
	a := processtest.NewTestAccount(t)
	stranger := processtest.StartChild(t, processtest.CatWith())
	dir := filepath.Join(a.CodexHome, "app-server-daemon")
	for _, name := range []string{"daemon.pid", "daemon-updater.pid", "app-server.pid"} {
		f := mustCreate(t, dir, name)
		fmt.Fprintf(f, `{"pid":%d,"processStartTime":"Fri Nov 20 09:08:31 2026"}`, stranger.Process.Pid)
		f.Close()
	}
	wantServers(t, a)
	if err := stop(t, a, EndTurns); err != nil {
		t.Error(err)
	}
	wantAlive(t, stranger)
}

// `daemon stop` comes first, in the account's environment, and what it leaves is stopped all the same.
func TestStopServerAsksFirst(t *testing.T) {
	for _, status := range []string{"0", "2"} {
		a := processtest.NewTestAccount(t)
		server := startServer(t, a, "idle", nil)
		startServer(t, a, "updater", nil)
		said := filepath.Join(a.Home, "said")
		script := fmt.Sprintf(`echo "$MARK $*" >%s; [ %s != 0 ] || kill %d; exit %s`, said, status, server.Process.Pid, status)
		err := StopServer(context.Background(), ServerStop{
			CodexHome: a.CodexHome,
			Codex:     []string{"/bin/sh", "-c", script, "codex"},
			Env:       []string{"MARK=here"},
		})
		if err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(said); err != nil || string(got) != "here app-server daemon stop\n" {
			t.Errorf("codex was told %q, %v", got, err)
		}
		wantServers(t, a)
	}
}

func TestStopServerCancelled(t *testing.T) {
	a := processtest.NewTestAccount(t)
	hung := startServer(t, a, "idle", nil)
	hang(t, hung)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := StopServer(ctx, ServerStop{CodexHome: a.CodexHome, Turns: EndTurns})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("StopServer = %v, want %v", err, context.Canceled)
	}
	wantAlive(t, hung)
}

// Another process on the control socket says nothing of the server.
func TestRunningTurnsOfAnother(t *testing.T) {
	a := processtest.NewTestAccount(t)
	listenFake(t, a.CodexHome, "turn")
	socket := filepath.Join(a.CodexHome, "app-server-control", "app-server-control.sock")
	if n, err := runningTurns(socket, os.Getpid()); n != 1 || err != nil {
		t.Errorf("runningTurns = %d, %v, want 1", n, err)
	}
	if _, err := runningTurns(socket, os.Getpid()+1); !errors.Is(err, errOtherServer) {
		t.Errorf("runningTurns of another process: %v, want %v", err, errOtherServer)
	}
}
