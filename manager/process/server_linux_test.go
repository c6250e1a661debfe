package process

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
)

func wantServers(t *testing.T, a testAccount, want ...int) {
	t.Helper()
	list, err := ServerProcesses(a.codexHome)
	if err != nil {
		t.Fatal(err)
	}
	if got := pids(list); !slices.Equal(got, want) {
		t.Errorf("ServerProcesses = %v, want the pids %v", list, want)
	}
}

func stop(t *testing.T, a testAccount, turns TurnPolicy) error {
	t.Helper()
	return StopServer(context.Background(), ServerStop{CodexHome: a.codexHome, Turns: turns})
}

// wantAlive wants a child not to have ended.
func wantAlive(t *testing.T, c child) {
	t.Helper()
	if _, _, err := readProcess(c.Process.Pid, nil); err != nil {
		t.Errorf("%v: %v, want it alive", c.Args, err)
	}
}

// hang stops a child, and waits until it is: until then it may still answer, and take another signal first.
func hang(t *testing.T, c child) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, c, unix.WSTOPPED)
}

func TestServerIsNoUse(t *testing.T) {
	a := newTestAccount(t)
	lock := holdLock(t, a, unix.LOCK_SH)
	server := startServer(t, a, "mcp", lock)
	updater := startServer(t, a, "updater", lock)
	lock.Close()
	wantServers(t, a, updater.Process.Pid, server.Process.Pid)
	wantUse(t, a)
}

func TestServerCommandIsUse(t *testing.T) {
	a := newTestAccount(t)
	server := startServer(t, a, "terminal", nil)
	use := mustUse(t, a)
	if len(use.Processes) != 1 || use.Processes[0].parent != server.Process.Pid {
		t.Errorf("InUse = %v, want the command that the server runs", use.Processes)
	}
}

// A lock that the server shares with a hidden command of a session counts.
func TestServerDoesNotHideHolder(t *testing.T) {
	a := newTestAccount(t)
	lock := holdLock(t, a, unix.LOCK_SH)
	startServer(t, a, "idle", lock)
	lock.Close()
	c := holding(t, a, catWith())
	wantUse(t, a, c.Process.Pid)
}

func TestIsServer(t *testing.T) {
	const codex = "/opt/codex/bin/codex"
	is := func(line string) Process {
		return Process{PID: 5, session: 5, exe: codex, args: strings.Fields(line), account: codexHomeTie}
	}
	for line, want := range map[string]bool{
		"codex app-server --listen unix://":                                              true, // 0.132, 0.144.6
		"codex app-server --listen unix:// --managed-daemon":                             true, // 0.155
		"codex app-server --listen unix:// --analytics-default-enabled --managed-daemon": true, // 0.169
		"codex --enable remote_control app-server --listen unix://":                      true,
		"codex app-server pid-update-loop":                                               true,
		"codex app-server daemon pid-update-loop":                                        true,
		"codex app-server":                         false, // an editor's
		"codex app-server --listen stdio://":       false,
		"codex app-server --listen":                false,
		"codex app-server --listen ws://127.0.0.1": false,
		"codex app-server daemon stop":             false,
		"codex exec app-server":                    false,
		"codex":                                    false,
		"app-server --listen unix://":              false,
		"":                                         false,
	} {
		if got := is(line).isServer(); got != want {
			t.Errorf("isServer of %q = %v, want %v", line, got, want)
		}
	}
	for name, change := range map[string]func(*Process){
		"home only": func(p *Process) { p.account = homeTie },
		"foreign":   func(p *Process) { p.account = noTie },
		"no leader": func(p *Process) { p.session = 4 },
		"program":   func(p *Process) { p.exe = "/usr/bin/node" },
		"unknown":   func(p *Process) { p.exe = "" },
	} {
		p := is("codex app-server --listen unix://")
		change(&p)
		if p.isServer() {
			t.Errorf("isServer of one with another %s = true", name)
		}
	}
}

func TestStopServerNone(t *testing.T) {
	a := newTestAccount(t)
	mustNotRun := []string{filepath.Join(a.home, "missing")}
	err := StopServer(context.Background(), ServerStop{CodexHome: a.codexHome, Codex: mustNotRun})
	if err != nil {
		t.Errorf("StopServer without a server: %v", err)
	}
}

func TestStopServerIdle(t *testing.T) {
	for _, role := range []string{"idle", "mcp"} {
		a, other := newTestAccount(t), newTestAccount(t)
		session := startChild(t, catWith("CODEX_HOME="+a.codexHome))
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
		a := newTestAccount(t)
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
			a := newTestAccount(t)
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
	a := newTestAccount(t)
	stranger := startChild(t, catWith())
	dir := filepath.Join(a.codexHome, "app-server-daemon")
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
		a := newTestAccount(t)
		server := startServer(t, a, "idle", nil)
		startServer(t, a, "updater", nil)
		said := filepath.Join(a.home, "said")
		script := fmt.Sprintf(`echo "$MARK $*" >%s; [ %s != 0 ] || kill %d; exit %s`, said, status, server.Process.Pid, status)
		err := StopServer(context.Background(), ServerStop{
			CodexHome: a.codexHome,
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
	a := newTestAccount(t)
	hung := startServer(t, a, "idle", nil)
	hang(t, hung)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := StopServer(ctx, ServerStop{CodexHome: a.codexHome, Turns: EndTurns})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("StopServer = %v, want %v", err, context.Canceled)
	}
	wantAlive(t, hung)
}

// Without pidfds the start time stands between a signal and a stranger.
func TestStopWithoutPidfd(t *testing.T) {
	a := newTestAccount(t)
	c := startChild(t, catWith("CODEX_HOME="+a.codexHome))
	table, err := accountProcesses(a.codexHome)
	if err != nil {
		t.Fatal(err)
	}
	none := processHandle{-1}
	stranger := table[c.Process.Pid]
	stranger.start++
	if err := none.signal(stranger, unix.SIGKILL); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("signal to a pid given anew: %v, want %v", err, os.ErrNotExist)
	}
	wantAlive(t, c)
	gone, err := ending{none, table[c.Process.Pid]}.step(context.Background(), endSteps(idle, notAsked)[0])
	if err != nil || !gone {
		t.Errorf("step = %v, %v, want it gone", gone, err)
	}
}

// Another process on the control socket says nothing of the server.
func TestRunningTurnsOfAnother(t *testing.T) {
	a := newTestAccount(t)
	listenFake(t, a.codexHome, "turn")
	socket := filepath.Join(a.codexHome, "app-server-control", "app-server-control.sock")
	if n, err := runningTurns(socket, os.Getpid()); n != 1 || err != nil {
		t.Errorf("runningTurns = %d, %v, want 1", n, err)
	}
	if _, err := runningTurns(socket, os.Getpid()+1); !errors.Is(err, errOtherServer) {
		t.Errorf("runningTurns of another process: %v, want %v", err, errOtherServer)
	}
}
