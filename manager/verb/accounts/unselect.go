package accounts

import (
	"slices"

	"swop/config"
	"swop/manager/verb"
)

// unselect removes what the selector has of an account, or of all pools: each choice that is one of those.
func unselect(s verb.Setup, isOne func(choice string) bool) error {
	return s.Store.ChangeSelector(func(sel *config.Selector) error {
		if isOne(sel.Account) {
			s.Say("%q was active: codex runs without an account now", sel.Account)
			sel.Account = ""
		}
		sel.Directory = slices.DeleteFunc(sel.Directory, func(b config.Binding) bool {
			if !isOne(b.Account) {
				return false
			}
			s.Say("removed the binding of %s to %q", b.Path, b.Account)
			return true
		})
		return nil
	})
}
