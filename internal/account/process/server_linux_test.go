package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"swop/internal/test/processtest"
	"swop/internal/test/testhome"
)

func TestIsServer(t *testing.T) {
	is := func(exe, line string) bool {
		return Process{PID: 5, session: 5, exe: exe, args: strings.Fields(line)}.isServer()
	}
	for line, want := range map[string]bool{
		"codex app-server --listen unix:// --analytics-default-enabled --managed-daemon": true, // 0.169
		"codex --enable remote_control app-server --listen unix://":                      true,
		"codex app-server pid-update-loop":                                               true,
		"codex app-server daemon pid-update-loop":                                        true,
		"codex app-server":                   false, // an editor's
		"codex app-server --listen stdio://": false,
		"codex app-server --listen":          false,
		"app-server --listen unix://":        false,
		"":                                   false,
	} {
		if got := is("/opt/codex/bin/codex", line); got != want {
			t.Errorf("isServer of %q = %v, want %v", line, got, want)
		}
		if is("/usr/bin/node", line) {
			t.Errorf("isServer of %q of another program = true", line)
		}
	}
}

// startServer starts a shell that looks like the account's background server, or like its updater. It runs script, which writes the line
// that processtest.Start waits for, and ends with the test. Children of the script that read descriptor 9 end with the test too.
func startServer(t *testing.T, a processtest.Account, lock *os.File, script string, args ...string) processtest.Child {
	t.Helper()
	script = "read ready; exec 9<&0\n" + script + "\nread end"
	return processtest.StartServer(t, a, lock, "/bin/sh", append([]string{"-c", script, "app-server"}, args...)...)
}

// What the two are started with, after "app-server".
var (
	serverArgs  = []string{"--listen", "unix://"}
	updaterArgs = []string{"daemon", "pid-update-loop"}
)

// Scripts of servers: see startServer.
const (
	idle     = "echo ready"
	ownTool  = "env -u CODEX_HOME sh -c 'echo ready; read end' <&9 &"
	terminal = "CODEX_THREAD_ID=1 sh -c 'echo ready; read end' <&9 &"
	open     = "exec 8<\"$CODEX_HOME/sessions/one.jsonl\"\necho ready"
)

// The server, its MCP server and its updater do not use the account, though they have its lock.
func TestInUseNotByServer(t *testing.T) {
	a := processtest.NewAccount(t)
	lock := processtest.HoldLock(t, a, unix.LOCK_SH)
	server := startServer(t, a, lock, ownTool, serverArgs...)
	updater := startServer(t, a, lock, idle, updaterArgs...)
	if only, err := OnlyServer(a.CodexHome, a.Lock); !only || err != nil {
		t.Errorf("OnlyServer = %v, %v, want true beside a server", only, err)
	}
	lock.Close()
	wantServers(t, a, updater.Process.Pid, server.Process.Pid)
	wantUse(t, a)
	c := processtest.StartHolding(t, a, processtest.Cat())
	wantUse(t, a, c.Process.Pid)
	if only, err := OnlyServer(a.CodexHome, a.Lock); only || err != nil {
		t.Errorf("OnlyServer = %v, %v, want false beside a session", only, err)
	}
}

// A command of a turn uses the account, though it descends from the server.
func TestInUseByServersCommand(t *testing.T) {
	a := processtest.NewAccount(t)
	server := startServer(t, a, nil, terminal, serverArgs...)
	use, err := InUse(a.CodexHome, a.Lock)
	if testhome.NoError(t, err); len(use.Processes) != 1 || use.Processes[0].parent != server.Process.Pid {
		t.Errorf("InUse = %v, want the command that the server runs", use.Processes)
	}
}

// wantServers checks that these are the account's servers and updaters, updaters first.
func wantServers(t *testing.T, a processtest.Account, want ...int) {
	t.Helper()
	s, err := TakeSurvey()
	testhome.NoError(t, err)
	if list := s.Servers(a.CodexHome); !slices.EqualFunc(list, want, hasPID) {
		t.Errorf("Servers = %v, want the pids %v", list, want)
	}
}

const (
	keepTurns = false
	endTurns  = true
)

func stop(a processtest.Account, endTurns bool) error {
	return StopServers(context.Background(), StopOptions{CodexHome: a.CodexHome, EndTurns: endTurns, Now: time.Now})
}

func TestStopBusy(t *testing.T) {
	for script, why := range map[string]string{open: "wrote a transcript", terminal: `runs "`} {
		a := processtest.NewAccount(t)
		testhome.PutFile(t, filepath.Join(a.CodexHome, "sessions", "one.jsonl"), "")
		server := startServer(t, a, nil, script, serverArgs...)
		err := stop(a, keepTurns)
		if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), why) {
			t.Errorf("StopServers with %q: %v, want %v, %q", script, err, ErrBusy, why)
		}
		wantServers(t, a, server.Process.Pid)
		if err := stop(a, endTurns); err != nil {
			t.Errorf("StopServers with %q, asked to end it: %v", script, err)
		}
		wantServers(t, a)
	}
}

// A server that SIGSTOP stopped takes no SIGTERM.
func TestStopHung(t *testing.T) {
	a := processtest.NewAccount(t)
	startServer(t, a, nil, idle, serverArgs...).Stop(t)
	if err := stop(a, keepTurns); !errors.Is(err, ErrBusy) {
		t.Errorf("StopServers: %v, want %v", err, ErrBusy)
	}
	testhome.NoError(t, stop(a, endTurns))
	wantServers(t, a)
}

// The start time protects an unrelated process that has got the pid.
func TestSignal(t *testing.T) {
	c := processtest.Start(t, processtest.Cat())
	other, err := readProcess(c.Process.Pid)
	testhome.NoError(t, err)
	other.start++
	if err := other.signal(unix.SIGKILL); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal to a reused pid: %v, want %v", err, os.ErrProcessDone)
	}
	if !c.Alive(t) {
		t.Error("another process was killed")
	}
}
