package socket

import (
	"io"
	"net"

	"golang.org/x/net/netutil"
)

// ForwardTo passes each connection to l on to one to the address, until l is closed. So many are passed on at once that nobody takes all
// descriptors.
func ForwardTo(l net.Listener, address string) {
	defer l.Close() // also after an error, or who connects would wait
	l = netutil.LimitListener(l, maxForwarded)
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			if to, err := net.Dial("tcp", address); err == nil { // else the session ends, or nothing listens
				defer to.Close()
				Relay(conn, conn, to)
			}
		}()
	}
}

// maxForwarded bounds the connections of one listener.
const maxForwarded = 256

// Relay copies from the reader, which reads conn, to the other end, and from there to conn, until both have ended.
func Relay(conn net.Conn, from io.Reader, to net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(to, from) // either end may go away
		closeWrite(to)
	}()
	_, _ = io.Copy(conn, to) // either end may go away
	closeWrite(conn)
	<-done
}

func closeWrite(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // the other end may be gone
	}
}
