//go:build unix

package confine

import (
	"slices"

	"swop/internal/confine/desk"
	"swop/internal/disk"
)

// AnswersFor returns the answers that hold for confined sessions of the account in dir, a directory with links resolved: those for always,
// and those for the session with this ID.
func AnswersFor(root, account, dir, home, session string) ([]desk.Answer, error) {
	all, err := desk.ReadAnswers(root, account)
	if len(all) == 0 || err != nil {
		return nil, err
	}
	workspace := WorkspaceOf(dir, disk.Resolve(home))
	return slices.DeleteFunc(all, func(a desk.Answer) bool {
		return a.Workspace != workspace || a.Session != "" && a.Session != session
	}), nil
}
