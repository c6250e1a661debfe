package peer

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Told is a socket of this process's, and what is told of each program that connects to it.
type Told struct {
	net.Listener
	Path string // the socket's
	// Serve gets the connection, and a copy of the program's descriptor 2, nil if it has none. It runs on a thread of its own.
	Serve func(conn, stderr *os.File)
}

// tell connects the caller, and passes on the other end. Nothing else does so meanwhile: what it accepts is that one, or a program's outside.
func (s *server) tell(w *waiter, address []byte) error {
	s.telling.Lock()
	defer s.telling.Unlock()
	if err := w.connect(address); err != nil {
		return err
	}
	for {
		conn, err := s.accept()
		if err != nil {
			return err
		}
		if peer, err := unix.GetsockoptUcred(int(conn.Fd()), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil && int(peer.Pid) == os.Getpid() {
			stderr := w.stderr()
			w.then = func() { s.Told.Serve(conn, stderr) }
			return nil
		}
		_ = conn.Close() // the program is told by that
	}
}

// accept returns a connection that blocks. While threads wait for calls, Go may look milliseconds late for what its poller, or another goroutine, has to do.
func (s *server) accept() (*os.File, error) {
	conn, err := s.Told.Accept()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.(*net.UnixConn).File()
}

// stderr returns a copy of the caller's descriptor 2, or nil.
func (c *caller) stderr() *os.File {
	fd, err := descriptorOf(int(c.pid), 2)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "stderr")
	if !c.valid() {
		_ = f.Close() // of another process
		return nil
	}
	return f
}
