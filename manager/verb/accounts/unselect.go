package accounts

import (
	"fmt"
	"slices"

	"swop/config"
	"swop/manager/verb"
)

// unselect removes the account with the key from the selector, and then says so.
func unselect(s verb.Setup, key string) error {
	var said []string
	err := s.Store.ChangeSelector(func(sel *config.Selector) error {
		if config.HasKey(sel.Account, key) {
			said = append(said, fmt.Sprintf("%q was active: codex runs without an account now", sel.Account))
			sel.Account = ""
		}
		sel.Directory = slices.DeleteFunc(sel.Directory, func(b config.Binding) bool {
			is := config.HasKey(b.Account, key)
			if is {
				said = append(said, fmt.Sprintf("removed the binding of %s to %q", b.Path, b.Account))
			}
			return is
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
