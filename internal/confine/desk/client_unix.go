//go:build unix

package desk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/account/process"
	"swop/internal/session/socket"
)

// tellAll sends a decision to the supervisors of all sessions, and returns what those that run say.
func tellAll(root string, of Decision) []Desks {
	list := []Desks{}
	for _, dir := range JailDirs(root) {
		var state Desks
		if isStopped(dir) {
			continue
		}
		if socket.Ask(dir, controlSocket, of, &state) == nil { // else it has ended
			list = append(list, state)
		}
	}
	return list
}

// LockFile in the directory of a session is locked by its supervisor.
const LockFile = "lock"

// isStopped reports whether the supervisor of a session is stopped, as by Ctrl-Z: it answers once it goes on.
func isStopped(dir string) bool {
	supervisor, _ := process.LockHolder(filepath.Join(dir, LockFile))
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", supervisor.PID)) // what is missing is not stopped
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "T ")
}

// JailDirs returns the directories of the confined sessions of all accounts, also of those that have ended badly.
func JailDirs(root string) (list []string) {
	dir := filepath.Join(root, "accounts")
	found, _ := fs.Glob(os.DirFS(dir), "*/confined/jail-*") // it is a good one
	for _, path := range found {
		list = append(list, filepath.Join(dir, path))
	}
	return list
}

// ListDesks returns what the sessions that run ask for and have.
func ListDesks(root string) []Desks { return tellAll(root, Decision{}) }

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

// Decide carries out what the user says of a question, named by its ID, in whichever session has it. It returns the entry that it changed.
func Decide(root string, of Decision) (changed Question, err error) {
	for _, state := range tellAll(root, of) {
		switch {
		case state.Error != "":
			return changed, errors.New(state.Error)
		case len(state.Questions) > 0:
			return state.Questions[0], nil
		}
	}
	return changed, fmt.Errorf("%q: no open question or grant has this ID", of.Of)
}
