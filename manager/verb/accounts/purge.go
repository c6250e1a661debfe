package accounts

import (
	"fmt"
	"slices"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/home"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
)

// Purge removes every account as remove does, or none if one of them is in use. It returns what it removed.
func Purge(call *verb.Call, r Removal) (gone []string, err error) {
	s, err := call.Open()
	if err != nil {
		return nil, err
	}
	accounts, err := s.Store.Accounts()
	if err == nil {
		err = mayPurge(s, accounts, r)
	}
	if err != nil {
		return nil, err
	}
	var leaving []home.Leaving
	for _, acct := range accounts {
		l, names, err := lockRemovable(s, acct, r)
		if err != nil {
			return nil, err
		}
		defer l.Release()
		leaving = append(leaving, home.Leaving{Account: acct, Agreed: names})
	}
	if err := unselect(s, func(choice string) bool {
		_, isPool := config.PoolOf(choice) // which has no account left to take
		return isPool || slices.ContainsFunc(accounts, func(acct account.Account) bool { return verb.HasKey(choice, acct.Key) })
	}); err != nil {
		return nil, err
	}
	if gone, err = s.Discard(leaving...); err != nil {
		return gone, err
	}
	rest, err := removeRoot(s)
	return append(gone, rest...), err
}

// mayPurge asks the person at the terminal unless --yes is given: for each login that exists nowhere else, and for all. Where private
// accounts have transcripts, it needs --delete-sessions.
func mayPurge(s verb.Setup, accounts []account.Account, r Removal) error {
	var private []account.Account // those with transcripts of their own
	for _, acct := range accounts {
		if _, err := login.Settle(acct); err != nil {
			return err
		}
		transcripts, err := sayLost(s, acct)
		if err != nil {
			return err
		}
		if transcripts {
			private = append(private, acct)
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
	for _, acct := range withLogins(accounts) {
		if !login.IsOnlyCopy(acct, outsideLogin(s)) {
			continue
		}
		question := fmt.Sprintf("delete the login of %q, which exists nowhere else?", acct.Meta.Label)
		if err := terminal.ConfirmRemoval(question, command); err != nil {
			return say.WithHint(err, fmt.Sprintf("codex swop remove %s --to FILE", say.ShellQuote(acct.Meta.Label)))
		}
	}
	return terminal.ConfirmRemoval(fmt.Sprintf("remove swop and %s?", terminal.Counted(len(accounts), "account", "accounts")), command)
}
