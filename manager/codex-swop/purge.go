//go:build unix

package main

import (
	"fmt"
	"strings"

	"swop/manager/account"
	"swop/manager/disk"
	"swop/manager/login"
	"swop/manager/projection"
	"swop/say"
)

// purge removes every account as remove does, or none if one of them is in use. It returns what it removed.
func (a *app) purge(p purging) ([]string, error) {
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
	if err := a.agreedToPurge(s, accounts, p); err != nil {
		return nil, err
	}
	for _, acct := range accounts {
		if err := a.mayPurge(s, acct, p); err != nil {
			return nil, err
		}
	}
	var gone []string
	for _, acct := range accounts {
		if err := a.purgeOne(s, acct, p); err != nil {
			return gone, err
		}
		gone = append(gone, acct.Dir)
	}
	if err := s.store.ClearTombstones(); err != nil {
		return gone, err
	}
	rest, err := a.removeRoot(s)
	return append(gone, rest...), err
}

// mayPurge moves what an account's programs made to the shared home. It refuses where something cannot be moved there, or has appeared
// since the user agreed: it would be removed with the account.
func (a *app) mayPurge(s scene, acct account.Account, p purging) error {
	l, err := a.idle(s, acct, noForce)
	if err != nil {
		return err
	}
	defer l.Release()
	return a.checkNothingLeft(s, acct, p)
}

func (a *app) checkNothingLeft(s scene, acct account.Account, p purging) error {
	if err := a.lastLook(s, acct); err != nil {
		return err
	}
	if err := nothingLeft(s, acct); err != nil {
		return say.WithHint(err, fmt.Sprintf("move it elsewhere, or remove it with the account: codex swop remove --force %s", say.ShellQuote(acct.Meta.Label)))
	}
	t, err := projection.FindTranscripts(s.store, acct) // a session may have run since they were shown
	if err == nil && t.Files > 0 && !p.deleteSessions {
		err = refuseTranscripts([]string{acct.Meta.Label})
	}
	return err
}

func (a *app) purgeOne(s scene, acct account.Account, p purging) error {
	l, err := a.idle(s, acct, noForce)
	if err != nil {
		return err
	}
	defer l.Release()
	if err := a.checkNothingLeft(s, acct, p); err != nil { // made since mayPurge
		return err
	}
	if err := a.forget(s, acct.Key); err != nil {
		return err
	}
	return s.store.Delete(acct, "")
}

// agreedToPurge asks the person at the terminal, and returns an error unless the answer is yes. With --yes it does not ask, but
// --delete-sessions must be given if private accounts have transcripts.
func (a *app) agreedToPurge(s scene, accounts []account.Account, p purging) error {
	var private []string // the labels of the accounts with transcripts of their own
	for _, acct := range accounts {
		a.say("account %q alone has: %s", acct.Meta.Label, belongings(login.Of(acct, s.Root.SharedHome.Path)))
		a.sayOwn(s, acct)
		t, err := projection.FindTranscripts(s.store, acct)
		if err != nil {
			return err
		}
		if t.Files > 0 {
			a.sayTranscripts(t)
			private = append(private, acct.Meta.Label)
		}
	}
	switch {
	case len(private) > 0 && !p.deleteSessions:
		return refuseTranscripts(private)
	case p.yes || len(accounts) == 0:
		return nil
	}
	agreed, err := confirm(fmt.Sprintf("swop: remove swop and %s?", counted(len(accounts), "account", "accounts")))
	if err != nil {
		err := disk.Unsafe("confirmation needs a terminal")
		hint := "codex swop uninstall --purge --yes"
		if p.deleteSessions {
			hint += " --delete-sessions"
		}
		return say.WithHint(err, hint)
	}
	if !agreed {
		return disk.Unsafe("cancelled; nothing was removed")
	}
	return nil
}

// refuseTranscripts returns the error for transcripts that only the accounts with these labels have.
func refuseTranscripts(labels []string) error {
	var quoted []string
	for _, label := range labels {
		quoted = append(quoted, fmt.Sprintf("%q", label))
	}
	err := fmt.Errorf("%w: the transcripts of %s are their own", disk.ErrUnsafe, strings.Join(quoted, ", "))
	for _, label := range labels {
		err = say.WithHint(err, fmt.Sprintf("codex swop remove %s --keep-sessions DIR", say.ShellQuote(label)))
	}
	return say.WithHint(err, "codex swop uninstall --purge --delete-sessions")
}
