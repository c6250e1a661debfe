package desk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"swop/internal/session/socket"
)

// tell sends a decision to the supervisor of the session with this directory.
func tell(dir string, of Decision) (state Desks, err error) {
	err = socket.Ask(dir, controlSocket, of, &state)
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

// Decide carries out what the user says of a question, named by its ID, in whichever session has it. It returns the entry that it changed.
func Decide(root string, of Decision) (changed Question, err error) {
	for _, dir := range JailDirs(root) {
		state, told := tell(dir, of)
		switch {
		case told != nil:
		case state.Error != "":
			return changed, errors.New(state.Error)
		case len(state.Questions) > 0:
			return state.Questions[0], nil
		}
	}
	return changed, fmt.Errorf("%q: no open question or grant has this ID", of.Of)
}
