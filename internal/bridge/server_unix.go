//go:build unix

package bridge

import (
	"bytes"
	"net"
	"time"

	"golang.org/x/net/netutil"
)

// clientConn is a connection that keeps the header of its one request. A client that takes nothing of the answer for too long loses it.
type clientConn struct {
	net.Conn
	limits *limits
	head   []byte
	whole  bool
}

func (c *clientConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if !c.whole {
		c.head = append(c.head, p[:n]...)
		c.whole = bytes.Contains(c.head, []byte("\n\r\n")) || bytes.Contains(c.head, []byte("\n\n"))
	}
	return n, err
}

func (c *clientConn) Write(p []byte) (int, error) {
	_ = c.SetWriteDeadline(time.Now().Add(c.limits.idle)) // a closed connection says so when it is written to
	return c.Conn.Write(p)
}

// clients are the connections of clients that l accepts, as many at once as the limits say.
func clients(l net.Listener, limits *limits) net.Listener {
	return &clientListener{netutil.LimitListener(l, limits.connections), limits}
}

type clientListener struct {
	net.Listener
	limits *limits
}

func (l *clientListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &clientConn{Conn: conn, limits: l.limits}, nil
}
