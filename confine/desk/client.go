package desk

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

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

// JailDirs returns the directories of the confined sessions of all accounts.
func JailDirs(root string) (list []string) {
	accounts := filepath.Join(root, "accounts")
	entries, _ := os.ReadDir(accounts) // before the first account there is no such directory
	for _, entry := range entries {
		list = append(list, JailsOf(filepath.Join(accounts, entry.Name()))...)
	}
	return list
}

// JailsOf returns the directories of the confined sessions of an account by its sandbox, also of those that have ended badly.
func JailsOf(sandbox string) (list []string) {
	confined := filepath.Join(sandbox, "confined")
	entries, _ := os.ReadDir(confined) // the account's first confined session makes it
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "jail-") {
			list = append(list, filepath.Join(confined, entry.Name()))
		}
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

// GrantsTo returns what the confined sessions of the account that run were given.
func GrantsTo(root, key string) []Question {
	grants := []Question{}
	for _, session := range ListDesks(root) {
		for _, q := range session.Questions {
			if session.Account == key && q.State == Granted {
				grants = append(grants, q)
			}
		}
	}
	return grants
}

// Decide carries out what the user says of a question, named by its ID, or by what it is about, in whichever sessions have it. It returns the
// entries that it changed.
func Decide(root string, of Decision) (changed []Question, err error) {
	if of.Allow {
		if of.Of, err = onlyOne(ListDesks(root), of.Of); err != nil {
			return nil, err
		}
	}
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

// onlyOne returns the ID of the open question with this ID or target, or about itself if there is none. More than one is an error: a program, also in another
// session, could ask for more while the user answers.
func onlyOne(desks []Desks, about string) (string, error) {
	var open []string
	for _, session := range desks {
		for _, q := range session.Questions {
			if q.State == StatePending && (q.ID == about || q.Target == about) {
				open = append(open, q.ID)
			}
		}
	}
	switch len(open) {
	case 0:
		return about, nil
	case 1:
		return open[0], nil
	}
	return "", fmt.Errorf("%q: more than one question is about it, answer one of %s", about, strings.Join(open, ", "))
}
