//go:build unix

package bridge

import (
	"context"
	"fmt"
	"net"

	"swop/internal/session/socket"
)

// controlSocket is the socket for host commands, whose name no bridge's can have.
const controlSocket = "..sock"

// question is a line of JSON: the host command to run.
type question struct {
	Host string   `json:"host"` // its name
	Args []string `json:"args,omitempty"`
}

// maxCallers bounds the host commands that run at once, and maxQuestion the bytes of a question.
const (
	maxCallers  = 64
	maxQuestion = 32 << 10
)

// answer runs a host command.
func (s *Session) answer(conn *net.UnixConn) {
	defer context.AfterFunc(s.life, func() { _ = conn.Close() })() // at the end of the session
	var q question
	if _, err := socket.Hear(conn, maxQuestion, &q); err == nil {
		s.runHost(conn, q)
	}
}

// dial connects to the supervisor of the session with this directory.
func dial(dir string) (net.Conn, error) {
	conn, err := socket.Dial(dir, controlSocket)
	if err != nil {
		err = fmt.Errorf("the session with the bridges in %s is gone", dir)
	}
	return conn, err
}
