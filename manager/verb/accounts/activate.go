//go:build unix

package accounts

import (
	"slices"

	"swop/account"
	"swop/config"
	"swop/manager/verb"
	"swop/say"
	"swop/shim"
)

// isFirst reports whether there is no account but the one that the label names.
func isFirst(s verb.Setup, label string) bool {
	accounts, err := s.Store.Accounts()
	return err == nil && !slices.ContainsFunc(accounts, func(a account.Account) bool { return !verb.HasKey(label, a.Key) })
}

// activateFirst makes the account that was just added the active one, if none is, and says so: else plain codex would still run without an
// account, and log in outside of all of them.
func activateFirst(s verb.Setup, label string) error {
	activated := false
	err := s.Store.ChangeSelector(func(sel *config.Selector) error {
		if activated = sel.Account == ""; activated {
			sel.Account = label
		}
		return nil
	})
	if err == nil && activated {
		s.Say("codex runs as %q from now on: it is the first account%s", label, s.ExceptHere(label, shim.BySelector))
	}
	return say.WithHint(err, "codex swop use "+say.ShellQuote(label))
}
