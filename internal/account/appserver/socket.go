//go:build unix

package appserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"swop/internal/account/process"

	"github.com/coder/websocket"
)

// controlConn is a connection to an app-server's control socket: JSON-RPC in WebSocket messages.
type controlConn struct {
	*websocket.Conn
	calls int
}

// controlPatience is how long a server may take for all its answers. A live one gives each in milliseconds: at most 90 on a loaded machine.
const controlPatience = 4 * time.Second

// maxMessage is the most that the server sends in one frame, as it says (x-codex-websocket-max-unfragmented-message-bytes).
const maxMessage = 16 << 20

var errOtherServer = errors.New("another process answers on the control socket")

// dialControl returns a connection to the process called by pid. It fails, wrapping errOtherServer, if another process listens on socket.
func dialControl(ctx context.Context, socket string, pid int) (*controlConn, error) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return dialProcess(ctx, socket, pid) }
	transport := &http.Transport{DialContext: dial}
	defer transport.CloseIdleConnections()
	conn, _, err := websocket.Dial(ctx, "ws://localhost/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	return &controlConn{Conn: conn}, nil
}

// dialProcess connects to the socket. Since 0.158 its path is a link to a shorter one: a socket's address holds only about 100 bytes.
func dialProcess(ctx context.Context, socket string, pid int) (net.Conn, error) {
	if target, err := os.Readlink(socket); err == nil {
		socket = target
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	peer, _, err := process.Peer(conn.(*net.UnixConn))
	if err == nil && peer != pid {
		err = errOtherServer
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
