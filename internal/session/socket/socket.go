// Package socket lets programs ask a session's supervisor: on each connection a line of JSON is the question, and another one the answer.
package socket

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"swop/internal/disk"
)

const patience = 30 * time.Second // is how long a question takes, and its answer

// Server serves connections to its sockets until it is closed.
type Server struct {
	listeners []net.Listener
	serves    sync.WaitGroup
}

// Listen makes a socket in dir, whose entries their owner removes, and lets serve have each connection, so many at once. It is closed when
// serve returns.
func (s *Server) Listen(dir, name string, most int, serve func(*net.UnixConn)) error {
	path, done, err := short(dir, name)
	if err != nil {
		return err
	}
	defer done()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	s.listeners = append(s.listeners, l)
	places := make(chan struct{}, most)
	s.serves.Go(func() {
		for {
			places <- struct{}{}
			conn, err := l.AcceptUnix()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			s.serves.Go(func() {
				defer func() { <-places }()
				if err == nil {
					defer conn.Close()
					_ = conn.SetReadDeadline(time.Now().Add(patience)) // a socket has one
					serve(conn)
				}
			})
		}
	})
	return nil
}

// Hear reads the question that a connection begins with, of size bytes at most. rest reads the bytes after it.
func Hear(conn *net.UnixConn, size int, question any) (rest *bufio.Reader, err error) {
	rest = bufio.NewReaderSize(conn, size)
	line, err := rest.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, question)
	}
	return rest, errors.Join(err, conn.SetReadDeadline(time.Time{}))
}

// Close closes the sockets. Answers that are being given go on: see [Server.Wait].
func (s *Server) Close() error {
	var err error
	for _, l := range s.listeners {
		err = errors.Join(err, disk.Ignore(l.Close(), net.ErrClosed))
	}
	return err
}

// Wait waits for the answers that are being given, once the sockets are closed.
func (s *Server) Wait() { s.serves.Wait() }

// Ask sends a question to the socket in dir, and reads its answer.
func Ask(dir, name string, question, answer any) error {
	conn, err := Dial(dir, name)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience)) // a socket has one
	if err := json.NewEncoder(conn).Encode(question); err != nil {
		return err
	}
	return json.NewDecoder(conn).Decode(answer)
}

// Dial connects to the socket in dir.
func Dial(dir, name string) (net.Conn, error) {
	path, done, err := short(dir, name)
	if err != nil {
		return nil, err
	}
	defer done()
	return net.DialTimeout("unix", path, 2*time.Second) // a supervisor may be stopped
}

// short returns a path of the socket in dir. On Linux it leads by way of the directory's descriptor: it has 108 bytes at most (unix(7)).
func short(dir, name string) (path string, done func(), err error) {
	if runtime.GOOS != "linux" {
		return filepath.Join(dir, name), func() {}, nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), name), func() { _ = d.Close() }, nil
}
