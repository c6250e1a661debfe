package appserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"swop/manager/process/processtest"
)

// startServer starts a copy of this test program that looks like the account's app-server, or with role "updater" like its updater. It
// returns when that listens. See TestFakeServer for the roles.
func startServer(t *testing.T, a processtest.Account, role string) processtest.Child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Fatal(err)
	}
}

func mustCreate(t *testing.T, dir, name string) *os.File {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// startChild starts a command that ends when this program's standard input does, and waits until it runs.
func startChild(t *testing.T, env ...string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "echo up; exec cat >/dev/null <&3")
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	cmd.ExtraFiles = []*os.File{os.Stdin}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
}

// listenFake listens where codex does: at a short path that the well-known one links to.
func listenFake(t *testing.T, home, role string) {
	t.Helper()
	dir := filepath.Join(home, "app-server-control")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(home, "s"))
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "app-server-control.sock")
	if err := errors.Join(ignoreMissing(os.Remove(link)), os.Symlink(filepath.Join(home, "s"), link)); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answerFake(conn, role)
		}
	}()
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// answerFake answers requests until the connection ends. Before each answer it sends a notification in two frames, and a ping.
func answerFake(conn net.Conn, role string) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for line := ""; line != "\r\n"; {
		var err error
		if line, err = r.ReadString('\n'); err != nil {
			return
		}
	}
	fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n")
	c := controlConn{r: r}
	for {
		var head [8]byte // a frame that controlConn sends: 16 bits of length, a mask of zeros
		if _, err := io.ReadFull(c.r, head[:]); err != nil {
			return
		}
		text := make([]byte, int(head[2])<<8|int(head[3]))
		if _, err := io.ReadFull(c.r, text); err != nil {
			return
		}
		var ask struct {
			ID     int
			Method string
		}
		if err := json.Unmarshal(text, &ask); err != nil || ask.ID == 0 {
			continue
		}
		answer := fmt.Sprintf(`{"id":%d,%s}`, ask.ID, fakeAnswer(ask.Method, role))
		fmt.Fprintf(conn, "\x01\x0d{\"method\":\"a\"\x89\x00\x80\x05,\"b\":\x80\x021}")
		fmt.Fprintf(conn, "\x81\x7e%c%c%s", len(answer)>>8, len(answer), answer)
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
