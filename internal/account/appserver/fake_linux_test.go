package appserver

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"swop/internal/account/process/processtest"
	"swop/internal/test/testhome"
)

// startServer starts a copy of this test program that looks like the account's app-server, or with role "updater" like its updater. It
// returns when that listens. See TestFakeServer for the roles.
func startServer(t *testing.T, a processtest.Account, role string) processtest.Child {
	t.Helper()
	self, err := os.Executable()
	testhome.NoError(t, err)
	args := []string{"-test.run=^TestFakeServer$", "--", role, "app-server", "--listen", "unix://", "--managed-daemon"}
	if role == "updater" {
		args = append(args[:3], "app-server", "daemon", "pid-update-loop")
	}
	return processtest.StartServer(t, a, nil, self, args...)
}

// TestFakeServer is not a test but the program that startServer starts: an app-server with an idle thread ("idle"), with one that runs a
// turn ("turn"), with one that it refuses to describe ("refused"), with a background terminal ("terminal") or an MCP server ("mcp") as its
// child, or with its session's lock open ("session"). It ends when its standard input does.
func TestFakeServer(t *testing.T) {
	if flag.NArg() == 0 {
		return
	}
	role := flag.Arg(0)
	home := os.Getenv("CODEX_HOME")
	switch role {
	case "terminal":
		startChild(t, "CODEX_HOME="+home, "CODEX_THREAD_ID=1")
	case "mcp":
		startChild(t, "HOME="+os.Getenv("HOME"))
	case "session":
		f := mustCreate(t, filepath.Join(home, "thread-writer-locks"), "1.lock")
		defer f.Close()
	}
	if role != "updater" {
		listenFake(t, home, role)
	}
	fmt.Println("ready")
	_, err := io.Copy(io.Discard, os.Stdin)
	testhome.NoError(t, err)
}

func mustCreate(t *testing.T, dir, name string) *os.File {
	t.Helper()
	testhome.NoError(t, os.MkdirAll(dir, 0o700))
	f, err := os.Create(filepath.Join(dir, name))
	testhome.NoError(t, err)
	return f
}

// startChild starts a command that ends when this program's standard input does, and waits until it runs.
func startChild(t *testing.T, env ...string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "echo up; exec cat >/dev/null <&3")
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	cmd.ExtraFiles = []*os.File{os.Stdin}
	out, err := cmd.StdoutPipe()
	testhome.NoError(t, err)
	testhome.NoError(t, cmd.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	testhome.NoError(t, err)
}

// listenFake listens where codex does: at a short path that the well-known one links to.
func listenFake(t *testing.T, home, role string) {
	t.Helper()
	dir := filepath.Join(home, "app-server-control")
	testhome.NoError(t, os.MkdirAll(dir, 0o700))
	l, err := net.Listen("unix", filepath.Join(home, "s"))
	testhome.NoError(t, err)
	link := filepath.Join(dir, "app-server-control.sock")
	testhome.NoError(t, errors.Join(ignoreMissing(os.Remove(link)), os.Symlink(filepath.Join(home, "s"), link)))
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := websocket.Accept(w, r, nil); err == nil {
			answerFake(c, role)
		}
	})}
	go func() { _ = server.Serve(l) }() // until the program ends
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// answerFake answers requests until the connection ends. Before each answer it sends a notification.
func answerFake(c *websocket.Conn, role string) {
	ctx := context.Background()
	for {
		var ask struct {
			ID     int
			Method string
		}
		if err := wsjson.Read(ctx, c, &ask); err != nil {
			return
		}
		if ask.ID == 0 {
			continue
		}
		for _, text := range []string{`{"method":"a","b":1}`, fmt.Sprintf(`{"id":%d,%s}`, ask.ID, fakeAnswer(ask.Method, role))} {
			if c.Write(ctx, websocket.MessageText, []byte(text)) != nil {
				return
			}
		}
	}
}

func fakeAnswer(method, role string) string {
	status := `{"type":"idle"}`
	if role == "turn" {
		status = `{"type":"active","activeFlags":[]}`
	}
	switch method {
	case "thread/loaded/list":
		return `"result":{"data":["1"],"nextCursor":null}`
	case "thread/read":
		if role == "refused" {
			return `"error":{"code":-32603,"message":"rollout is empty"}`
		}
		return `"result":{"thread":{"id":"1","status":` + status + `}}`
	}
	return `"result":{}`
}
