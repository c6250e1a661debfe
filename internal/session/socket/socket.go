// Package socket lets programs ask a session's supervisor: on each connection a line of JSON is the question, and another one the answer.
package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"swop/internal/disk"
)

// maxCallers bounds how many are served at once, and maxQuestion how long a question may be.
const (
	maxCallers  = 64
	maxQuestion = 32 << 10
)

// patience bounds how long a program takes to say what it wants, and a supervisor to answer.
const patience = 30 * time.Second

// Server answers questions on its sockets until it is closed.
type Server struct {
	closers  []func() error
	served   sync.WaitGroup // the sockets
	answered sync.WaitGroup // the questions
}

// An Answer serves a question; rest is what the caller says after that. The connection is closed when it returns.
type Answer func(conn net.Conn, question []byte, rest io.Reader)

// Listen makes a socket in dir, and lets answer serve each question that comes by it.
func (s *Server) Listen(dir, name string, answer Answer) error {
	l, err := Listen(dir, name)
	if err == nil {
		s.Serve(l, answer)
	}
	return err
}

// Serve lets answer serve each question that comes by l.
func (s *Server) Serve(l net.Listener, answer Answer) {
	l = netutil.LimitListener(l, maxCallers)
	life, end := context.WithCancel(context.Background())
	s.closers = append(s.closers, func() error { end(); return disk.Ignore(l.Close(), net.ErrClosed) })
	s.served.Go(func() {
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				s.answered.Go(func() { serve(life, conn, answer) })
			}
		}
	})
}

func serve(life context.Context, conn net.Conn, answer Answer) {
	defer conn.Close()
	life, done := context.WithTimeout(life, patience)
	defer done()
	inTime := context.AfterFunc(life, func() { _ = conn.Close() }) // where it is still asking
	in := bufio.NewReaderSize(conn, maxQuestion)
	line, err := in.ReadSlice('\n')
	if inTime() && err == nil {
		answer(conn, line, in)
	}
}

// Close closes the sockets, and the connections of those who have not asked yet. Answers that are being given go on: see [Server.Wait].
func (s *Server) Close() error {
	var failed []error
	for _, end := range s.closers {
		failed = append(failed, end())
	}
	s.served.Wait()
	return errors.Join(failed...)
}

// Wait waits for the answers that are being given, once the sockets are closed.
func (s *Server) Wait() { s.answered.Wait() }

// CloseLate closes the connection if it is not stopped in time.
func CloseLate(conn io.Closer) *time.Timer {
	return time.AfterFunc(patience, func() { _ = conn.Close() }) // it may be closed already
}

// Ask sends a question, and reads its answer, which may be long, for as long as that takes.
func Ask(conn io.ReadWriter, question, answer any) error {
	const longest = 64 << 20
	if err := json.NewEncoder(conn).Encode(question); err != nil {
		return err
	}
	return json.NewDecoder(io.LimitReader(conn, longest)).Decode(answer)
}
