package process

import (
	"os"
	"slices"
	"strings"
	"testing"

	"swop/internal/test/processtest"

	"golang.org/x/sys/unix"
)

func TestIsServer(t *testing.T) {
	const codex = "/opt/codex/bin/codex"
	is := func(line string) Process {
		return Process{PID: 5, session: 5, exe: codex, args: strings.Fields(line), account: true}
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
		if got := is(line).IsServer(); got != want {
			t.Errorf("IsServer of %q = %v, want %v", line, got, want)
		}
	}
	for name, change := range map[string]func(*Process){
		"foreign":   func(p *Process) { p.account = false },
		"no leader": func(p *Process) { p.session = 4 },
		"program":   func(p *Process) { p.exe = "/usr/bin/node" },
		"unknown":   func(p *Process) { p.exe = "" },
	} {
		p := is("codex app-server --listen unix://")
		change(&p)
		if p.IsServer() {
			t.Errorf("IsServer of a process with another %s = true", name)
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

// The server, its MCP server and its updater do not use the account, though they have its lock.
func TestInUseNotByServer(t *testing.T) {
	a := processtest.NewAccount(t)
	lock := processtest.HoldLock(t, a, unix.LOCK_SH)
	server := startServer(t, a, lock, "env -u CODEX_HOME sh -c 'echo ready; read end' <&9 &", serverArgs...)
	updater := startServer(t, a, lock, "echo ready", updaterArgs...)
	lock.Close()
	list, err := Servers(a.CodexHome)
	if want := []int{updater.Process.Pid, server.Process.Pid}; err != nil || !slices.Equal(pids(list), want) {
		t.Errorf("Servers = %v, %v, want the pids %v", list, err, want)
	}
	wantUse(t, a)
	if free, err := NoProcesses(a.CodexHome, a.Lock); free || err != nil {
		t.Errorf("NoProcesses = %v, %v, want false beside a server", free, err)
	}
}

// A command of a turn uses the account, though it descends from the server.
func TestInUseByServersCommand(t *testing.T) {
	a := processtest.NewAccount(t)
	server := startServer(t, a, nil, "CODEX_THREAD_ID=1 sh -c 'echo ready; read end' <&9 &", serverArgs...)
	use := mustUse(t, a)
	if len(use.Processes) != 1 || use.Processes[0].parent != server.Process.Pid {
		t.Errorf("InUse = %v, want the command that the server runs", use.Processes)
	}
}

// A process that has only the lock is found, though the server has the same lock.
func TestInUseByLockBesideServer(t *testing.T) {
	a := processtest.NewAccount(t)
	lock := processtest.HoldLock(t, a, unix.LOCK_SH)
	startServer(t, a, lock, "echo ready", serverArgs...)
	lock.Close()
	c := processtest.StartHolding(t, a, processtest.Cat())
	wantUse(t, a, c.Process.Pid)
}
