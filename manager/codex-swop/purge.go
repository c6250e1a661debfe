//go:build unix

package main

import (
	"fmt"
	"slices"

	"swop/account"
	"swop/config"
	"swop/manager/terminal"
)

// purge removes every account as remove does, or none if one of them is in use. It returns what it removed.
func (a *app) purge(r removal) ([]string, error) {
	s, err := a.open()
	if err != nil {
		return nil, err
	}
	defer s.undo() // the programs may be root's
	accounts, err := s.store.Accounts()
	if err != nil {
		return nil, err
	}
	for _, acct := range accounts {
		if err := refuseUse(s, acct); err != nil {
			return nil, err
		}
	}
	if err := a.mayPurge(s, accounts, r); err != nil {
		return nil, err
	}
	for _, acct := range accounts {
		l, err := a.lockRemovable(s, acct, r)
		if err != nil {
			return nil, err
		}
		l.Release()
	}
	var gone []string
	for _, acct := range accounts {
		if err := a.purgeOne(s, acct, r); err != nil {
			return gone, err
		}
		gone = append(gone, acct.Dir)
	}
	if err := s.store.ClearTombstones(); err != nil {
		return gone, err
	}
	if err := s.unselectPools(); err != nil {
		return gone, err
	}
	rest, err := a.removeRoot(s)
	return append(gone, rest...), err
}

// unselectPools removes the pools from the selector: no account is left that one could take.
func (s setup) unselectPools() error {
	isPool := func(choice string) bool {
		_, ok := config.PoolOf(choice)
		return ok
	}
	return s.store.ChangeSelector(func(sel *config.Selector) error {
		if isPool(sel.Account) {
			sel.Account = ""
		}
		sel.Directory = slices.DeleteFunc(sel.Directory, func(b config.Binding) bool { return isPool(b.Account) })
		return nil
	})
}

func (a *app) purgeOne(s setup, acct account.Account, r removal) error {
	l, err := a.lockRemovable(s, acct, r)
	if err != nil {
		return err
	}
	defer l.Release()
	if err := a.unselect(s, acct.Key); err != nil {
		return err
	}
	return s.store.Delete(acct, "")
}

// mayPurge asks the person at the terminal unless --yes is given. Where private accounts have transcripts, it needs --delete-sessions.
func (a *app) mayPurge(s setup, accounts []account.Account, r removal) error {
	var private []string // the labels of the accounts with transcripts of their own
	for _, acct := range accounts {
		transcripts, err := a.sayLost(s, acct)
		if err != nil {
			return err
		}
		if transcripts {
			private = append(private, acct.Meta.Label)
		}
	}
	switch {
	case len(private) > 0 && !r.deleteSessions:
		return refuseTranscripts("codex swop uninstall --purge --delete-sessions", private...)
	case r.yes || len(accounts) == 0:
		return nil
	}
	command := "codex swop uninstall --purge --yes"
	if r.deleteSessions {
		command += " --delete-sessions"
	}
	return terminal.ConfirmRemoval(fmt.Sprintf("remove swop and %s?", terminal.Counted(len(accounts), "account", "accounts")), command)
}
