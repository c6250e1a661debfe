package desk

import (
	"encoding/json"
	"errors"
	"io"
	"net"
)

// The sockets of a session's desk: programs inside ask by the one in [RuntimeDir], the user answers by the one in the session's directory, which
// nobody inside sees.
const (
	AskSocket     = "ask.sock"
	controlSocket = "control.sock"
)

// RuntimeDir is where a confined session finds what it needs to know of itself, and whom to ask.
const RuntimeDir = "/run/swop"

// Open lets programs inside ask by a socket in runtime, which they have at [RuntimeDir], and the user answer by one in dir.
func (d *Desk) Open(runtime, dir string, about Desks) error {
	return errors.Join(
		d.Listen(runtime, AskSocket, d.serveAsk),
		d.Listen(dir, controlSocket, func(conn net.Conn, line []byte, _ io.Reader) { d.serveControl(conn, line, about) }),
	)
}

// serveAsk answers one request of a program inside. The program has what it is given for once until it closes the connection.
func (d *Desk) serveAsk(conn net.Conn, line []byte, rest io.Reader) {
	a, err := readAsk(line)
	if err != nil {
		_ = json.NewEncoder(conn).Encode(Question{Ask: a}.verdict(Forbidden, "the request "+err.Error())) // who asked may be gone
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, rest) // it says nothing more
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
	Questions []Question `json:"questions"`
	Error     string     `json:"error,omitempty"`
}

// serveControl carries out a decision of the user's, or lists the questions where there is none. state is what the answer says beside that.
func (d *Desk) serveControl(conn net.Conn, line []byte, state Desks) {
	var of Decision
	err := json.Unmarshal(line, &of)
	switch {
	case err != nil:
		return
	case of.Of == "":
		state.Questions = d.List()
	default:
		state.Questions, err = d.decide(of)
	}
	if err != nil {
		state.Error = err.Error()
	}
	_ = json.NewEncoder(conn).Encode(state) // who asked may be gone
}
