//go:build unix

package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"swop/internal/session/socket"
)

// controlName is the socket by which codex-swop asks a session's supervisor. No bridge can be called that.
const controlName = "."

// question is what codex-swop asks: a line of JSON.
type question struct {
	Host string   `json:"host,omitempty"` // the name of a host command; without one it asks for the state
	Args []string `json:"args,omitempty"`
}

// State is what the bridges of a session are and did.
type State struct {
	Account  string        `json:"account"`
	Pid      int           `json:"pid"`
	Dir      string        `json:"dir"`
	Bridges  []BridgeState `json:"bridges"`
	Commands []string      `json:"commands"`
}

// BridgeState is one bridge of a session.
type BridgeState struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Socket   string   `json:"socket"`
	Upstream string   `json:"upstream"`
	Allow    []string `json:"allow"`
	Allowed  int64    `json:"allowed"`
	Refused  int64    `json:"refused"`
	Broad    bool     `json:"broad"`
}

func (s *Session) state() State {
	state := State{Account: s.options.Account, Pid: os.Getpid(), Dir: s.place.dir, Bridges: []BridgeState{}, Commands: []string{}}
	for _, b := range s.bridges {
		allow := []string{}
		for _, r := range b.Allow {
			allow = append(allow, r.Text)
		}
		state.Bridges = append(state.Bridges, BridgeState{
			b.Name, b.Kind, s.place.socket(b.Name), b.Upstream, allow, b.allowed.Load(), b.refused.Load(),
			BroadToken(b.Bridge, s.options.Home, s.options.Env),
		})
	}
	for _, c := range s.options.Commands {
		state.Commands = append(state.Commands, c.Name)
	}
	return state
}

// answer answers codex-swop. rest is what it says after the question.
func (s *Session) answer(conn net.Conn, text []byte, rest io.Reader) {
	defer context.AfterFunc(s.life, func() { _ = conn.Close() })() // the session is over: see Close
	var q question
	switch {
	case json.Unmarshal(text, &q) != nil:
	case q.Host != "":
		s.runHost(conn, rest, q)
	default:
		_ = json.NewEncoder(conn).Encode(s.state()) // who asked may be gone
	}
}

// dial connects to the supervisor of the session with this directory.
func dial(dir string) (net.Conn, error) {
	conn, err := net.DialTimeout("unix", place{dir: dir}.socket(controlName), 2*time.Second)
	if err != nil {
		err = fmt.Errorf("the session with the bridges in %s is gone", dir)
	}
	return conn, err
}

// StateOf returns the state of the session with this directory.
func StateOf(dir string) (state State, err error) {
	conn, err := dial(dir)
	if err != nil {
		return state, err
	}
	defer conn.Close()
	err = socket.Ask(conn, question{}, &state)
	return state, err
}

// States returns the states of all sessions of this user that have bridges, by account.
func States(root string) []State {
	list := []State{}
	for _, dir := range places(root) {
		if state, err := StateOf(dir); err == nil { // else it has just ended
			list = append(list, state)
		}
	}
	slices.SortFunc(list, func(a, b State) int { return strings.Compare(a.Account+a.Dir, b.Account+b.Dir) })
	return list
}

// Alive reports whether dir is the directory of a session whose supervisor lives.
func Alive(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	_, err := StateOf(dir)
	return err == nil
}
