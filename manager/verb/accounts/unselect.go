package accounts

import (
	"fmt"
	"slices"

	"swop/config"
	"swop/manager/verb"
)

// unselect removes what the selector has of an account, or of all pools: each choice that is one of those. It says so when that is done.
func unselect(s verb.Setup, isOne func(choice string) bool) error {
	var said []string
	err := s.Store.ChangeSelector(func(sel *config.Selector) error {
		if isOne(sel.Account) {
			said = append(said, fmt.Sprintf("%q was active: codex runs without an account now", sel.Account))
			sel.Account = ""
		}
		sel.Directory = slices.DeleteFunc(sel.Directory, func(b config.Binding) bool {
			if isOne(b.Account) {
				said = append(said, fmt.Sprintf("removed the binding of %s to %q", b.Path, b.Account))
			}
			return isOne(b.Account)
		})
		return nil
	})
	if err == nil {
		for _, line := range said {
			s.Say("%s", line)
		}
	}
	return err
}
