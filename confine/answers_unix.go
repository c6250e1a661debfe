//go:build unix

package confine

import (
	"slices"

	"swop/confine/desk"
	"swop/disk"
)

// AnswersFor returns the answers that hold for confined sessions of the account in dir, a directory with links resolved.
func AnswersFor(root, account, dir, home string) ([]desk.Answer, error) {
	all, err := desk.ReadAnswers(root, account)
	if len(all) == 0 || err != nil {
		return nil, err
	}
	workspace := WorkspaceOf(dir, disk.Resolve(home))
	return slices.DeleteFunc(all, func(a desk.Answer) bool { return a.Workspace != workspace }), nil
}
