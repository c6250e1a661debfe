//go:build unix

package bridge

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"sync"
)

// headConn is a connection that keeps the header of its one request.
type headConn struct {
	net.Conn
	head  []byte
	whole bool
}

func (c *headConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if !c.whole {
		c.head = append(c.head, p[:n]...)
		c.whole = bytes.Contains(c.head, []byte("\n\r\n")) || bytes.Contains(c.head, []byte("\n\n"))
	}
	return n, err
}

// listener accepts as many connections at once as the limits say, and none of another user.
type listener struct {
	net.Listener
	places chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		l.places <- struct{}{}
		conn, err := l.Listener.Accept()
		if err == nil && isOurs(conn) {
			return &headConn{Conn: &placed{Conn: conn, leave: func() { <-l.places }}}, nil
		}
		<-l.places
		if err != nil {
			return nil, err
		}
		_ = conn.Close() // of another user
	}
}

// placed is a connection that has a place among those that may be open at once.
type placed struct {
	net.Conn
	once  sync.Once
	leave func()
}

func (c *placed) Close() error {
	c.once.Do(c.leave)
	return c.Conn.Close()
}

// isOurs reports whether the process at the other end of a Unix socket runs as this user. Mode 0700 of the directory comes first; this is
// for those who got by it. Of a TCP connection nobody says who is at the other end.
func isOurs(conn net.Conn) bool {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return true
	}
	raw, err := unixConn.SyscallConn()
	if err != nil {
		return false
	}
	uid, known := -1, false
	err = raw.Control(func(fd uintptr) { uid, known = peer(int(fd)) })
	return err == nil && known && uid == os.Geteuid()
}

// newServer returns a server that takes one request from each connection: what follows it cannot be taken for another one.
func newServer(s *Session, h http.Handler) *http.Server {
	server := &http.Server{
		Handler: h, ErrorLog: s.errors, ReadHeaderTimeout: s.limits.head, MaxHeaderBytes: s.limits.header,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, headKey{}, c) },
	}
	server.SetKeepAlivesEnabled(false)
	return server
}
