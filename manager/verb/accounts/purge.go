package accounts

import (
	"fmt"

	"swop/account"
	"swop/config"
	"swop/manager/terminal"
	"swop/manager/verb"
)

// Purge removes every account as remove does, or none if one of them is in use. It returns what it removed.
func Purge(call *verb.Call, r Removal) ([]string, error) {
	s, err := call.Open()
	if err != nil {
		return nil, err
	}
	defer s.Undo() // the programs may be root's
	accounts, err := s.Store.Accounts()
	if err == nil {
		err = verb.RefuseAnyUse(s, accounts)
	}
	if err != nil {
		return nil, err
	}
	if err := mayPurge(s, accounts, r); err != nil {
		return nil, err
	}
	for _, acct := range accounts {
		l, err := lockRemovable(s, acct, r)
		if err != nil {
			return nil, err
		}
		l.Release()
	}
	var gone []string
	for _, acct := range accounts {
		if err := purgeOne(s, acct, r); err != nil {
			return gone, err
		}
		gone = append(gone, acct.Dir)
	}
	if err := s.Store.ClearTombstones(); err != nil {
		return gone, err
	}
	isPool := func(choice string) bool {
		_, ok := config.PoolOf(choice)
		return ok
	}
	if err := unselect(s, isPool); err != nil { // no account is left that one could take
		return gone, err
	}
	rest, err := removeRoot(s)
	return append(gone, rest...), err
}

func purgeOne(s verb.Setup, acct account.Account, r Removal) error {
	l, err := lockRemovable(s, acct, r)
	if err != nil {
		return err
	}
	defer l.Release()
	if err := unselect(s, naming(acct)); err != nil {
		return err
	}
	return s.Store.Delete(acct, "")
}

// mayPurge asks the person at the terminal unless --yes is given. Where private accounts have transcripts, it needs --delete-sessions.
func mayPurge(s verb.Setup, accounts []account.Account, r Removal) error {
	var private []string // the labels of the accounts with transcripts of their own
	for _, acct := range accounts {
		transcripts, err := sayLost(s, acct)
		if err != nil {
			return err
		}
		if transcripts {
			private = append(private, acct.Meta.Label)
		}
	}
	switch {
	case len(private) > 0 && !r.DeleteSessions:
		return refuseTranscripts("codex swop uninstall --purge --delete-sessions", private...)
	case r.Yes || len(accounts) == 0:
		return nil
	}
	command := "codex swop uninstall --purge --yes"
	if r.DeleteSessions {
		command += " --delete-sessions"
	}
	return terminal.ConfirmRemoval(fmt.Sprintf("remove swop and %s?", terminal.Counted(len(accounts), "account", "accounts")), command)
}
