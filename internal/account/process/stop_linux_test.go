package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"swop/internal/test/processtest"
	"swop/internal/test/testhome"
)

// wantServers checks that these are the account's servers and updaters, updaters first.
func wantServers(t *testing.T, a processtest.Account, want ...int) {
	t.Helper()
	list, err := Servers(a.CodexHome)
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
	return StopServers(context.Background(), StopOptions{CodexHome: a.CodexHome, EndTurns: endTurns, Now: time.Now})
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

// Scripts of servers: see startServer.
const (
	idle     = "echo ready"
	ownTool  = "env -u CODEX_HOME sh -c 'echo ready; read end' <&9 &"
	terminal = "CODEX_THREAD_ID=1 sh -c 'echo ready; read end' <&9 &"
	open     = "exec 8<\"$CODEX_HOME/sessions/one.jsonl\"\necho ready"
)

func TestStopIdle(t *testing.T) {
	for _, script := range []string{idle, ownTool, open} {
		a, other := processtest.NewAccount(t), processtest.NewAccount(t)
		writeTranscript(t, a, time.Now().Add(-2*atWork))
		session := processtest.Start(t, processtest.Cat("CODEX_HOME="+a.CodexHome))
		unrelated := startServer(t, other, nil, idle, serverArgs...)
		startServer(t, a, nil, script, serverArgs...)
		startServer(t, a, nil, idle, updaterArgs...)
		testhome.NoError(t, stop(t, a, keepTurns))
		wantServers(t, a)
		wantServers(t, other, unrelated.Process.Pid)
		wantAlive(t, session)
	}
}

// writeTranscript gives the account a transcript that was written then.
func writeTranscript(t *testing.T, a processtest.Account, then time.Time) {
	t.Helper()
	dir := filepath.Join(a.CodexHome, "sessions")
	file := filepath.Join(dir, "one.jsonl")
	testhome.NoError(t, errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(file, nil, 0o600), os.Chtimes(file, then, then)))
}

func TestStopBusy(t *testing.T) {
	for script, why := range map[string]string{open: "wrote a transcript", terminal: `runs "`} {
		a := processtest.NewAccount(t)
		writeTranscript(t, a, time.Now())
		server := startServer(t, a, nil, script, serverArgs...)
		updater := startServer(t, a, nil, idle, updaterArgs...)
		err := stop(t, a, keepTurns)
		if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), why) {
			t.Errorf("StopServers with %q: %v, want %v, %q", script, err, ErrBusy, why)
		}
		wantServers(t, a, updater.Process.Pid, server.Process.Pid)
		if err := stop(t, a, endTurns); err != nil {
			t.Errorf("StopServers with %q, asked to end it: %v", script, err)
		}
		wantServers(t, a)
	}
}

// A server that SIGSTOP stopped takes no SIGTERM.
func TestStopHung(t *testing.T) {
	a := processtest.NewAccount(t)
	hung := startServer(t, a, nil, idle, serverArgs...)
	hung.Stop(t)
	testhome.NoError(t, stop(t, a, keepTurns))
	wantServers(t, a)
}

// A server that is at work once it has got the first signal gets no other.
func TestStopBusySinceTheFirstSignal(t *testing.T) {
	a := processtest.NewAccount(t)
	writeTranscript(t, a, time.Now().Add(-2*atWork))
	script := "trap 'touch \"$CODEX_HOME/sessions/one.jsonl\"' TERM\n" + open + "\nwhile :; do read end; [ $? -le 128 ] && break; done"
	server := startServer(t, a, nil, script, serverArgs...)
	if err := stop(t, a, keepTurns); !errors.Is(err, ErrBusy) {
		t.Errorf("StopServers: %v, want %v", err, ErrBusy)
	}
	wantAlive(t, server)
}

// A pid file that names an unrelated process does not get that stopped.
func TestStopIgnoresPidFiles(t *testing.T) {
	a := processtest.NewAccount(t)
	unrelated := processtest.Start(t, processtest.Cat())
	dir := filepath.Join(a.CodexHome, "app-server-daemon")
	for _, name := range []string{"daemon.pid", "daemon-updater.pid", "app-server.pid"} {
		text := fmt.Sprintf(`{"pid":%d,"processStartTime":"Fri Nov 20 09:08:31 2026"}`, unrelated.Process.Pid)
		testhome.NoError(t, errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)))
	}
	wantServers(t, a)
	if err := stop(t, a, endTurns); err != nil {
		t.Error(err)
	}
	wantAlive(t, unrelated)
}

func TestStopCancelled(t *testing.T) {
	a := processtest.NewAccount(t)
	hung := startServer(t, a, nil, idle, serverArgs...)
	hung.Stop(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := StopServers(ctx, StopOptions{CodexHome: a.CodexHome, EndTurns: true, Now: time.Now})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("StopServers = %v, want %v", err, context.Canceled)
	}
	wantAlive(t, hung)
}
