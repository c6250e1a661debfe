package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/websocket"
	"golang.org/x/sys/unix"

	"swop/internal/test/e2e/realcodex"
	"swop/internal/test/processtest"
	"swop/internal/test/testhome"
	"swop/internal/test/testprogram"
)

func TestMain(m *testing.M) {
	os.Exit(testhome.Suite{Tests: m, Programs: []string{testprogram.Codex}}.Run())
}

// realCodex returns the real codex without its launcher: the program that the daemon runs too.
func realCodex(t *testing.T) string {
	t.Helper()
	testhome.Needs(t, testprogram.Codex)
	cache := os.Getenv("SWOP_TEST_CODEX_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		testhome.NoError(t, err)
		cache = filepath.Join(dir, "swop-test")
	}
	bin, err := realcodex.Install(t.Context(), cache, realcodex.Version)
	testhome.NoError(t, err)
	launcher, err := filepath.EvalSymlinks(filepath.Join(bin, "codex"))
	testhome.NoError(t, err)
	native, err := filepath.Glob(filepath.Join(filepath.Dir(launcher), "../../codex-linux-*/vendor/*/bin/codex"))
	if err != nil || len(native) != 1 {
		t.Fatalf("native codex beside %s: %v, %v", launcher, native, err)
	}
	return native[0]
}

// useSilentProvider gives the account a model that takes requests and never answers, so that a turn lasts. The channel is closed
// when the model is asked first.
func useSilentProvider(t *testing.T, a processtest.Account) (asked <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testhome.NoError(t, err)
	first := make(chan struct{})
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return // nobody asked
		}
		close(first)
		<-t.Context().Done()
		_ = conn.Close() // nothing was said
	}()
	t.Cleanup(func() { l.Close() })
	config := fmt.Sprintf("model = \"m\"\nmodel_provider = \"silent\"\n[model_providers.silent]\nname = \"silent\"\n"+
		"base_url = \"http://%s/v1\"\nwire_api = \"responses\"\nsupports_websockets = false\n", l.Addr())
	testhome.NoError(t, os.WriteFile(filepath.Join(a.CodexHome, "config.toml"), []byte(config), 0o600))
	return first
}

// startRealServer starts the account's app-server as codex's daemon does and returns when it answers on its socket.
func startRealServer(t *testing.T, a processtest.Account, codex string, lock *os.File) *websocket.Conn {
	t.Helper()
	cmd := exec.Command(codex, "app-server", "--listen", "unix://")
	cmd.Env = a.Env()
	cmd.Dir = a.Home
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.ExtraFiles = []*os.File{lock}
	testhome.NoError(t, cmd.Start())
	reaped := make(chan error, 1)
	go func() { reaped <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // stopped, unless the test failed
		<-reaped
	})
	return waitForServer(t, a)
}

// waitForServer returns a connection to the server as soon as it listens. It watches with inotify(7) for the socket's directory, then
// for the socket in that.
func waitForServer(t *testing.T, a processtest.Account) *websocket.Conn {
	t.Helper()
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	testhome.NoError(t, err)
	defer unix.Close(watch)
	dir := filepath.Join(a.CodexHome, "app-server-control")
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		for _, d := range []string{a.CodexHome, dir} {
			_, err := unix.InotifyAddWatch(watch, d, unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_ATTRIB)
			if err != nil && !errors.Is(err, unix.ENOENT) {
				t.Fatal(err)
			}
		}
		if list, err := Servers(a.CodexHome); err == nil && len(list) == 1 {
			if c, err := dialControl(filepath.Join(dir, "app-server-control.sock")); err == nil {
				return c
			}
		}
		fds := []unix.PollFd{{Fd: int32(watch), Events: unix.POLLIN}}
		// bind(2) comes before listen(2), which is no event: look again after a second at the latest.
		if n, err := unix.Poll(fds, 1000); n > 0 && err == nil {
			_, _ = unix.Read(watch, make([]byte, 4096)) // only to be told of the next one
		}
	}
	t.Fatal("the real server does not answer")
	return nil
}

// dialControl connects to a server. Since 0.158 the socket's path is a link to a shorter one.
func dialControl(socket string) (*websocket.Conn, error) {
	if target, err := os.Readlink(socket); err == nil {
		socket = target
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	config, err := websocket.NewConfig("ws://localhost/", "http://localhost/")
	if err != nil {
		return nil, err
	}
	config.Header.Del("Origin")
	return websocket.NewClient(config, conn)
}

// call sends a request to a server and reads until its answer.
func call(t *testing.T, c *websocket.Conn, method string, params, result any) {
	t.Helper()
	testhome.NoError(t, websocket.JSON.Send(c, map[string]any{"id": method, "method": method, "params": params}))
	for {
		var answer struct {
			ID     any
			Result json.RawMessage
		}
		testhome.NoError(t, websocket.JSON.Receive(c, &answer))
		if answer.ID == method { // the others are notifications
			testhome.NoError(t, json.Unmarshal(answer.Result, result))
			return
		}
	}
}

// startTurn starts a turn in a new thread, as a TUI would, and returns when it has asked the model.
func startTurn(t *testing.T, c *websocket.Conn, asked <-chan struct{}) {
	t.Helper()
	var none map[string]any
	var started struct{ Thread struct{ ID string } }
	call(t, c, "initialize", map[string]any{"clientInfo": map[string]any{"name": "swop", "version": "1"}}, &none)
	testhome.NoError(t, websocket.JSON.Send(c, map[string]any{"method": "initialized"}))
	call(t, c, "thread/start", map[string]any{}, &started)
	input := []any{map[string]any{"type": "text", "text": "hi", "text_elements": []any{}}}
	call(t, c, "turn/start", map[string]any{"threadId": started.Thread.ID, "input": input}, &none)
	select {
	case <-asked:
	case <-time.After(time.Minute):
		t.Fatal("the turn does not ask the model")
	}
}

// The real server, with a lock that it inherited, does not use the account, is found, is not stopped while its turn has just
// written the transcript, which it has open, and is gone after StopServers once that is old.
func TestRealServer(t *testing.T) {
	codex := realCodex(t)
	a := processtest.NewAccount(t)
	asked := useSilentProvider(t, a)
	lock := processtest.HoldLock(t, a, unix.LOCK_SH)
	c := startRealServer(t, a, codex, lock)
	lock.Close()
	defer c.Close()
	wantNotInUse(t, a)

	startTurn(t, c, asked)
	if err := stop(t, a, keepTurns); !errors.Is(err, ErrBusy) {
		t.Errorf("StopServers while a turn runs: %v, want %v", err, ErrBusy)
	}
	wantNotInUse(t, a)
	transcripts, err := filepath.Glob(filepath.Join(a.CodexHome, "sessions", "*", "*", "*", "*.jsonl"))
	if err != nil || len(transcripts) != 1 {
		t.Fatalf("transcripts: %q, %v", transcripts, err)
	}
	old := time.Now().Add(-2 * atWork)
	testhome.NoError(t, os.Chtimes(transcripts[0], old, old))
	testhome.NoError(t, stop(t, a, keepTurns))
	wantServers(t, a)
	waitUntilUnused(t, a)
}

// wantNotInUse checks that no process of the account is found but its server.
func wantNotInUse(t *testing.T, a processtest.Account) {
	t.Helper()
	if use, err := InUse(a.CodexHome, a.Lock); err != nil || use.Any() || use.NoLocks {
		t.Errorf("InUse = %+v, %v, want no process", use, err)
	}
}

// waitUntilUnused waits until the account is not in use: what a server started, such as a shell that takes a snapshot, may outlive it by
// a moment.
func waitUntilUnused(t *testing.T, a processtest.Account) {
	t.Helper()
	for {
		use, err := InUse(a.CodexHome, a.Lock)
		testhome.NoError(t, err)
		if len(use.Processes) == 0 {
			return
		}
		if ended, err := use.Processes[0].Wait(context.Background(), time.Minute); !ended {
			t.Fatalf("after Stop %v still runs, %v", use.Processes[0], err)
		}
	}
}
