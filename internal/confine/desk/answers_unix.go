//go:build unix

package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"swop/internal/disk"
	"swop/internal/say"
)

// maxAnswers bounds the file of an account's answers, which has room for some thousand.
const maxAnswers = 1 << 20

// answersFile lies beside an account's home: it is renamed and removed with it.
func answersFile(root, account string) string {
	return filepath.Join(root, "accounts", account, "approvals.json")
}

// ReadAnswers returns what was given for later to the account with this key.
func ReadAnswers(root, account string) (list []Answer, err error) {
	file := answersFile(root, account)
	text, err := disk.ReadFile(file, 0, maxAnswers)
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

// AnswersFor returns those that hold for sessions of the account in a workspace: for always, and for the session with this ID.
func AnswersFor(root, account, workspace, session string) ([]Answer, error) {
	all, err := ReadAnswers(root, account)
	return slices.DeleteFunc(all, func(a Answer) bool {
		return a.Workspace != workspace || a.Session != "" && a.Session != session
	}), err
}

// KeepAnswer adds an answer to the file of an account, or removes it. The caller sees to it that nobody else writes.
func KeepAnswer(root, account string, a Answer, given bool) error {
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
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return disk.WriteFile(answersFile(root, account), append(text, '\n'))
}
