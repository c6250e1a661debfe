package socket

import (
	"io"
	"net"
)

// Forward passes each connection to l on to the Unix socket at path, for as long as the process runs.
func Forward(l net.Listener, path string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			if to, err := net.Dial("unix", path); err == nil { // else the session ends
				defer to.Close()
				Relay(conn, conn, to)
			}
		}()
	}
}

// Relay passes on what is read from one end, which conn writes to, and what the other end sends, until both have ended.
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
