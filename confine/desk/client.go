package desk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"swop/session/socket"
)

// AskFor asks the user for something, from inside of a session, and waits for the answer. What is given for once holds until release has returned.
func AskFor(a Ask) (v Verdict, release func(), err error) {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: filepath.Join(RuntimeDir, AskSocket), Net: "unix"})
	if err != nil {
		return v, nil, errors.New("nobody outside of this session answers; inside of codex's own sandbox, ask outside of that")
	}
	release = func() {
		if conn.CloseWrite() == nil {
			_, _ = io.Copy(io.Discard, conn) // until the supervisor has taken it back, or is gone
		}
		_ = conn.Close() // nothing is written
	}
	err = socket.Ask(conn, a, &v)
	if err != nil {
		release()
		return v, nil, errors.New("the session's supervisor gave no answer")
	}
	return v, release, nil
}

// tell sends a decision to the supervisor of the session with this directory.
func tell(dir string, of Decision) (state Desks, err error) {
	conn, err := socket.Dial(dir, controlSocket)
	if err != nil {
		return state, err
	}
	defer conn.Close()
	defer socket.CloseLate(conn).Stop()
	err = socket.Ask(conn, of, &state)
	return state, err
}

// JailDirs returns the directories of all confined sessions, also of those that have ended badly.
func JailDirs(root string) []string {
	list, _ := fs.Glob(os.DirFS(root), "accounts/*/confined/jail-*") // the pattern is good
	for i, dir := range list {
		list[i] = filepath.Join(root, dir)
	}
	return list
}

// ListDesks returns what the sessions that run ask for and have.
func ListDesks(root string) []Desks {
	list := []Desks{}
	for _, dir := range JailDirs(root) {
		if state, err := tell(dir, Decision{}); err == nil { // else it has ended
			list = append(list, state)
		}
	}
	return list
}

// Decide carries out what the user says of a question, named by its ID, or by what it is about, in whichever sessions have it. It returns the
// entries that it changed.
func Decide(root string, of Decision) (changed []Question, err error) {
	for _, dir := range JailDirs(root) {
		state, told := tell(dir, of)
		switch {
		case told != nil:
		case state.Error != "":
			return changed, errors.New(state.Error)
		default:
			changed = append(changed, state.Questions...)
		}
	}
	if len(changed) == 0 {
		return nil, fmt.Errorf("%q: no open question or grant matches", of.Of)
	}
	return changed, nil
}
