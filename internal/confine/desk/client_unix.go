//go:build unix

package desk

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"swop/internal/account/process"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/internal/session/socket"
)

// tellAll sends a decision to the supervisors of all sessions, and returns the answers of those that run.
func tellAll(root string, of Decision) []Desks {
	list := []Desks{}
	for _, dir := range SessionDirs(root, "") {
		supervisor, _ := process.LockHolder(filepath.Join(dir, "lock")) // one that is stopped, as by Ctrl-Z, would not answer
		var state Desks
		if !supervisor.Stopped && socket.Ask(dir, controlSocket, of, &state) == nil { // else the session has ended
			list = append(list, state)
		}
	}
	return list
}

// SessionDirs returns the directories of the confined sessions of an account, or of all where key is "", also of those that have ended
// badly.
func SessionDirs(root, key string) (list []string) {
	in := filepath.Join(root, "run")
	found, _ := fs.Glob(os.DirFS(in), cmp.Or(key, "*")+".*") // keys have no special characters
	for _, name := range found {
		list = append(list, filepath.Join(in, name))
	}
	return list
}

// ListDesks returns the questions and grants of the sessions that run.
func ListDesks(root string) []Desks { return tellAll(root, Decision{}) }

// GrantsTo returns the grants to running sessions of the account.
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

// Decide carries out a decision in the session that has the question. It returns the question as changed.
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

// maxAnswers bounds the file of an account's answers, which has room for some thousand.
const maxAnswers = 1 << 20

// answersFile lies beside an account's home: it is renamed and removed with the account.
func answersFile(root, account string) string {
	return filepath.Join(root, "accounts", account, "approvals.json")
}

// ReadAnswers returns the grants for later sessions of the account with this key.
func ReadAnswers(root, account string) (list []Answer, err error) {
	file := answersFile(root, account)
	text, err := disk.ReadFile(file, maxAnswers)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &list)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
		return nil, say.WithHint(err, "remove it, and sessions ask again for what was always allowed: rm "+say.ShellQuote(file))
	}
	return list, nil
}

// AnswersFor returns the grants that hold in a workspace: for all sessions of the account, and for the session with this ID.
func AnswersFor(root, account, workspace, session string) ([]Answer, error) {
	all, err := ReadAnswers(root, account)
	return slices.DeleteFunc(all, func(a Answer) bool {
		return a.Workspace != workspace || a.Session != "" && a.Session != session
	}), err
}

// StoreAnswer adds an answer to the file of an account, or removes it. The caller sees to it that nobody else writes.
func StoreAnswer(root, account string, a Answer, given bool) error {
	list, err := ReadAnswers(root, account)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(old Answer) bool {
		return old.Workspace == a.Workspace && old.Session == a.Session && old.is(a.Ask)
	})
	if given {
		list = append(list, a)
	}
	text, _ := json.MarshalIndent(list, "", "  ") // it cannot fail: these are texts
	return disk.WriteFile(answersFile(root, account), append(text, '\n'))
}
