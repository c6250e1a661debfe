package accounts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
)

// Removal is how accounts are removed.
type Removal struct {
	Command        string // the command line without --yes, for hints
	Yes            bool
	DeleteSessions bool
}

func Remove(call *verb.Call) *cobra.Command {
	var r Removal
	cmd := &cobra.Command{
		Use:     "remove LABEL",
		Aliases: []string{"rm"},
		Short:   "Remove an account and its login",
		Long: "Remove an account and its login. What all accounts share stays: transcripts, configuration, skills.\nThe login is not revoked " +
			"at OpenAI unless you log out first: codex swop logout.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels)),
		Example:           verb.Example("codex swop remove work", "codex swop remove work --yes", "codex swop remove agent --delete-sessions"),
		Args:              verb.Takes(1, "LABEL"),
		RunE:              verb.With(call.Open, func(s verb.Setup, args []string) error { return remove(s, args[0], r) }),
	}
	cmd.Flags().BoolVarP(&r.Yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&r.DeleteSessions, "delete-sessions", false, "remove a private account's transcripts too")
	return cmd
}

func remove(s verb.Setup, label string, r Removal) error {
	acct, err := s.Store.FindRemnant(label)
	if err != nil {
		return err
	}
	r.Command = "codex swop remove " + say.ShellQuote(acct.Meta.Label)
	if r.DeleteSessions {
		r.Command += " --delete-sessions"
	}
	if err := mayRemove(s, acct, r); err != nil {
		return err
	}
	return removeAgreed(s, acct, r)
}

// Purge removes every account as remove does, once none of them is in use and the person at the terminal has agreed to each.
func Purge(call *verb.Call, r Removal) error {
	s, err := call.Open()
	if err != nil {
		return err
	}
	accounts, err := s.Store.Accounts()
	if err != nil {
		return err
	}
	for _, acct := range accounts {
		if err := mayRemove(s, acct, r); err != nil {
			return err
		}
	}
	for _, acct := range accounts {
		if err := removeAgreed(s, acct, r); err != nil {
			return err
		}
	}
	return s.Store.ChangeSelector(func(sel *config.Selector) error {
		*sel = config.Selector{} // the rest names pools, which have no accounts any more
		return nil
	})
}

// mayRemove refuses what cannot work, and asks the person at the terminal unless --yes is given.
func mayRemove(s verb.Setup, acct account.Account, r Removal) error {
	if err := verb.RefuseUse(s, acct); err != nil {
		return err
	}
	if _, err := login.EndChange(acct); err != nil {
		return err
	}
	if _, err := config.ReadSelector(s.Places); err != nil {
		return err // a selector that cannot be read cannot be changed
	}
	transcripts, err := sayLost(s, acct)
	switch {
	case err != nil:
		return err
	case transcripts && !r.DeleteSessions:
		return refuseTranscripts(acct, r)
	case r.Yes:
		return nil
	}
	return terminal.ConfirmRemoval(fmt.Sprintf("remove account %q?", acct.Meta.Label), r.Command+" --yes")
}

// removeAgreed removes an account that [mayRemove] allows.
func removeAgreed(s verb.Setup, acct account.Account, r Removal) error {
	l, err := s.LockIdle(acct)
	if err != nil {
		return err
	}
	defer l.Release()
	agreed, err := s.Store.Transcripts(acct) // a session may have run since they were shown
	if err == nil && len(agreed) > 0 && !r.DeleteSessions {
		err = refuseTranscripts(acct, r)
	}
	if err == nil {
		err = unselect(s, acct.Key)
	}
	if err == nil {
		err = s.Homes().Discard(acct, agreed)
	}
	if err == nil {
		err = usage.Drop(s.Store.Layout, acct.Key)
	}
	if err != nil {
		return err
	}
	s.Say("removed account %q", acct.Meta.Label)
	for _, name := range s.Settings.Names()[acct.Key] {
		s.Say("%s in config.toml stays, and would apply to a new %q", name, acct.Meta.Label)
	}
	return nil
}

// sayLost names the login and the transcripts that would be lost with the account, and reports whether there are transcripts.
func sayLost(s verb.Setup, acct account.Account) (transcripts bool, err error) {
	label := acct.Meta.Label
	login := login.Of(acct)
	names, err := s.Store.Transcripts(acct)
	if err != nil {
		return false, err
	}
	if len(names) > 0 {
		var quoted []string
		for _, name := range names {
			quoted = append(quoted, strconv.Quote(name))
		}
		s.Say("account %q has its own %s", label, strings.Join(quoted, ", "))
	}
	switch {
	case login.MayBeInKeyring():
		s.Say("account %q may have a login in the system's keyring, where it stays unless you log out first", label)
		s.Say("hint: codex swop logout %s", say.ShellQuote(label))
	case login.Mode != "none":
		s.Say("account %q has a login: %s", label, login.Text())
	case len(names) > 0:
		s.Say("account %q has no login", label)
	default:
		s.Say("account %q has no login; nothing will be lost", label)
	}
	return len(names) > 0, nil
}

// refuseTranscripts returns the error for transcripts that only the account has.
func refuseTranscripts(acct account.Account, r Removal) error {
	err := disk.Unsafe("the private transcripts of %q would be lost", acct.Meta.Label)
	err = say.WithHint(err, "move them elsewhere: they are in "+say.Name(acct.CodexHome()))
	return say.WithHint(err, "or: "+r.Command+" --delete-sessions")
}

// SayLogins names the logins that lie in swop, and the command that gives one of them back to codex without an account, unless
// all are of confined accounts.
func SayLogins(s verb.Setup) error {
	all, err := s.Store.Accounts()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(a account.Account) bool { return !login.HoldsLogin(a) || login.HoldsStandIn(a) })
	for _, acct := range all {
		s.Say("account %q has a login, which stays in swop: %s", acct.Meta.Label, login.Of(acct).Text())
	}
	at := slices.IndexFunc(all, func(a account.Account) bool { return a.Meta.Confine == "" }) // else a session may put another file there
	if to := outsideLogin(s); at >= 0 && !disk.MayExist(to) {
		s.Say("hint: to give one back to codex: mv -n %s %s", say.ShellQuote(all[at].AuthFile()), say.ShellQuote(to))
	}
	return nil
}

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
