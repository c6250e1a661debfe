package desk

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"time"
)

// The sockets of a session's desk: programs inside ask by the one in [RuntimeDir], the user answers by the one in the session's directory, which
// nobody inside sees.
const (
	AskSocket     = "ask.sock"
	controlSocket = "control.sock"
)

// RuntimeDir is where a confined session finds what it needs to know of itself, and whom to ask.
const RuntimeDir = "/run/swop"

// maxCallers bounds how many are served at once.
const maxCallers = 64

// Open lets programs inside ask by a socket in runtime, which they have at [RuntimeDir], and the user answer by one in dir.
func (d *Desk) Open(runtime, dir string, about func() Desks) error {
	return errors.Join(
		d.listen(runtime, AskSocket, d.serveAsk),
		d.listen(dir, controlSocket, func(conn net.Conn) { d.serveControl(conn, about) }),
	)
}

func (d *Desk) listen(dir, name string, handle func(net.Conn)) error {
	l, err := Listen(dir, name)
	if err == nil {
		d.listeners = append(d.listeners, l)
		d.served.Go(func() { serve(l, handle) })
	}
	return err
}

// Close ends it. The session and all that it was given are gone.
func (d *Desk) Close() error {
	var failed []error
	for _, l := range d.listeners {
		failed = append(failed, l.Close())
	}
	d.served.Wait()
	return errors.Join(failed...)
}

// serve answers those who connect, at most so many at once, until the listener is closed.
func serve(l net.Listener, handle func(net.Conn)) {
	places := make(chan struct{}, maxCallers)
	for {
		places <- struct{}{}
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		go func() {
			defer func() { <-places }()
			if err == nil {
				defer conn.Close()
				handle(conn)
			}
		}()
	}
}

// readLine reads a line of at most maxAsk bytes, in the time that a program takes to say what it wants.
func readLine(conn net.Conn) ([]byte, *bufio.Reader, error) {
	defer CloseLate(conn).Stop()
	in := bufio.NewReaderSize(conn, maxAsk)
	line, err := in.ReadSlice('\n')
	return line, in, err
}

// headTime bounds how long a program takes to say what it wants.
const headTime = 30 * time.Second

// CloseLate closes the connection if it is not stopped in time.
func CloseLate(conn io.Closer) *time.Timer {
	return time.AfterFunc(headTime, func() { _ = conn.Close() }) // it may be closed already
}

// serveAsk answers one request of a program inside. What it is given for once it has until it closes the connection.
func (d *Desk) serveAsk(conn net.Conn) {
	line, in, err := readLine(conn)
	if err != nil {
		return
	}
	a, err := readAsk(line)
	if err != nil {
		_ = json.NewEncoder(conn).Encode(a.verdict(Forbidden, "the request "+err.Error())) // who asked may be gone
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, in) // it says nothing more
	}()
	v, done := d.ask(a, gone)
	defer done()
	if json.NewEncoder(conn).Encode(v) == nil && v.Verdict == Granted {
		<-gone
	}
}

// Desks is what a supervisor tells of itself, and what it answers to a [Decision].
type Desks struct {
	Account   string     `json:"account"`
	Dir       string     `json:"dir"`
	Live      bool       `json:"live"` // false where paths are given from the next start on
	Questions []Question `json:"questions"`
	Error     string     `json:"error,omitempty"`
}

// serveControl tells the user what is asked for, and takes an answer.
func (d *Desk) serveControl(conn net.Conn, about func() Desks) {
	line, _, err := readLine(conn)
	var of Decision
	if err != nil || json.Unmarshal(line, &of) != nil {
		return
	}
	state := about()
	if of.Of == "" {
		state.Questions = d.List()
	} else if state.Questions, err = d.decide(of); err != nil {
		state.Error = err.Error()
	}
	_ = json.NewEncoder(conn).Encode(state) // who asked may be gone
}
