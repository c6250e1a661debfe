// Package socket lets programs ask a session's supervisor: on each connection a line of JSON is the question, and another one the answer.
package socket

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"swop/internal/disk"
)

const (
	maxCallers  = 64               // are served at once
	maxQuestion = 32 << 10         // bytes
	maxAnswer   = 64 << 20         // likewise
	asking      = 5 * time.Second  // is how long a program takes to say what it wants
	patience    = 30 * time.Second // is how long an answer takes
)

// Server answers questions on its sockets until it is closed.
type Server struct {
	listeners []net.Listener
	serves    sync.WaitGroup
}

// An Answer serves a question; rest is what the caller says after that. The connection is closed when it returns.
type Answer func(conn net.Conn, question []byte, rest io.Reader)

// Listen makes a socket in dir, and lets answer serve each question that comes by it.
func (s *Server) Listen(dir, name string, answer Answer) error {
	l, err := Listen(dir, name)
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, l)
	l = netutil.LimitListener(l, maxCallers)
	s.serves.Go(func() {
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				s.serves.Go(func() { serve(conn, answer) })
			}
		}
	})
	return nil
}

func serve(conn net.Conn, answer Answer) {
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(asking)) // a socket has one
	in := bufio.NewReaderSize(conn, maxQuestion)
	if line, err := in.ReadSlice('\n'); err == nil {
		_ = conn.SetReadDeadline(time.Time{}) // likewise
		answer(conn, line, in)
	}
}

// Close closes the sockets. Answers that are being given go on: see [Server.Wait].
func (s *Server) Close() error {
	var failed []error
	for _, l := range s.listeners {
		failed = append(failed, disk.Ignore(l.Close(), net.ErrClosed))
	}
	return errors.Join(failed...)
}

// Wait waits for the answers that are being given, once the sockets are closed.
func (s *Server) Wait() { s.serves.Wait() }

// Ask sends a question to the socket in dir, and reads its answer.
func Ask(dir, name string, question, answer any) error {
	path, done, err := short(dir, name)
	if err != nil {
		return err
	}
	defer done()
	conn, err := net.Dial("unix", path)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience)) // a socket has one
	if err := json.NewEncoder(conn).Encode(question); err != nil {
		return err
	}
	return json.NewDecoder(io.LimitReader(conn, maxAnswer)).Decode(answer)
}
