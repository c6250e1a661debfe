//go:build unix

package main

import (
	"slices"

	"swop/account"
	"swop/config"
	"swop/say"
	"swop/shim"
)

// isFirst reports whether there is no account but the one that the label names.
func (s setup) isFirst(label string) bool {
	accounts, err := s.store.Accounts()
	return err == nil && !slices.ContainsFunc(accounts, func(a account.Account) bool { return !hasKey(label, a.Key) })
}

// activateFirst makes the account that was just added the active one, if none is, and says so: else plain codex would still run without an
// account, and log in outside of all of them.
func (a *app) activateFirst(s setup, label string) error {
	activated := false
	err := s.store.ChangeSelector(func(sel *config.Selector) error {
		if activated = sel.Account == ""; activated {
			sel.Account = label
		}
		return nil
	})
	if err == nil && activated {
		a.say("codex runs as %q from now on: it is the first account%s", label, a.exceptHere(s, label, shim.BySelector))
	}
	return say.WithHint(err, "codex swop use "+say.ShellQuote(label))
}
