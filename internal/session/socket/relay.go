package socket

import (
	"io"
	"net"
)

// ForwardTo passes each connection to l on to one to the address, until l is closed.
func ForwardTo(l net.Listener, address string) {
	defer l.Close()                    // also after an error, or who connects would wait
	places := make(chan struct{}, 256) // nobody takes all descriptors
	for {
		places <- struct{}{}
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _, _ = conn.Close(), <-places }()
			if to, err := net.Dial("tcp", address); err == nil { // else the session ends, or nothing listens
				defer to.Close()
				Relay(conn, conn, to)
			}
		}()
	}
}

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

// closeWrite ends what is sent to conn, or conn, if that cannot end one way alone: whoever reads to the end would wait.
func closeWrite(conn net.Conn) {
	end := conn.Close
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		end = half.CloseWrite
	}
	_ = end() // the other end may be gone
}
