package accounts

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/home"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
)

// Removal is a call of remove, or of uninstall --purge.
type Removal struct {
	Yes            bool
	force          verb.Force
	to             string // --to
	DeleteSessions bool
}

func Remove(call *verb.Call) *cobra.Command {
	var r Removal
	var force bool
	cmd := &cobra.Command{
		Use:     "remove [LABEL]",
		Aliases: []string{"rm"},
		Short:   "Remove an account and its login",
		Long: "Remove an account and its login. Without a label it asks which, on the terminal. What all accounts share is kept: transcripts, configuration, skills.\n" +
			"The login is not revoked at OpenAI unless you log out first: codex swop logout.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels)),
		Example:           verb.Example("codex swop remove work", "codex swop remove work --yes", "codex swop remove work --to ~/.codex/auth.json", "codex swop remove agent --delete-sessions"),
		Args:              verb.Takes(0, "LABEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if force {
				r.force = verb.Forced
			}
			return verb.With(call.Open, func(s verb.Setup, args []string) error {
				if len(args) == 0 {
					label, err := pick(s)
					if err != nil {
						return err
					}
					args = []string{label}
				}
				return remove(s, args[0], r)
			})(cmd, args)
		},
	}
	cmd.Flags().BoolVarP(&r.Yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&force, "force", false, "stop its server even mid-turn")
	cmd.Flags().BoolVar(&r.DeleteSessions, "delete-sessions", false, "remove a private account's transcripts too")
	cmd.Flags().StringVar(&r.to, "to", "", "move its login to `FILE`, which must not exist, as ~/.codex/auth.json")
	return cmd
}

// pick returns the account that the person at the terminal picks.
func pick(s verb.Setup) (string, error) {
	list := verb.Labels(s, "")
	if len(list) == 0 {
		return "", verb.Usagef("missing LABEL, and there are no accounts")
	}
	name, err := verb.Pick(list, "")
	if errors.Is(err, terminal.ErrNobody) {
		err = say.WithHint(verb.Usagef("missing LABEL"), "codex swop list")
	}
	return name, err
}

func remove(s verb.Setup, label string, r Removal) error {
	acct, err := s.Store.FindRemnant(label)
	if err != nil {
		return err
	}
	if err := mayRemove(s, acct, &r); err != nil {
		return err
	}
	l, agreed, err := lockRemovable(s, acct, r)
	if err != nil {
		return err
	}
	defer l.Release()
	if r.to != "" {
		if err := moveBack(s, acct, r.to); err != nil {
			return err
		}
	}
	if err := unselect(s, func(choice string) bool { return verb.HasKey(choice, acct.Key) }); err != nil {
		return err
	}
	if _, err := s.Discard(home.Leaving{Account: acct, Agreed: agreed}); err != nil {
		return err
	}
	if err := usage.Drop(s.Store.Layout, acct.Key); err != nil {
		return err
	}
	s.Say("removed account %q", acct.Meta.Label)
	for _, name := range s.Settings.Names()[acct.Key] {
		s.Say("%s in config.toml stays, and would apply to a new %q", name, acct.Meta.Label)
	}
	return nil
}

// mayRemove refuses what cannot work, and asks the person at the terminal unless --yes is given. It makes r.to absolute.
func mayRemove(s verb.Setup, acct account.Account, r *Removal) error {
	if err := verb.RefuseUse(s, acct); err != nil {
		return err
	}
	if _, err := login.Settle(acct); err != nil {
		return err
	}
	if _, err := config.ReadSelector(s.Places); err != nil {
		return err // the account could not be removed from it
	}
	if r.to != "" {
		var err error
		if r.to, err = filepath.Abs(r.to); err != nil {
			return err
		}
		if err := checkBack(s, acct, r.to); err != nil {
			return err
		}
	}
	transcripts, err := sayLost(s, acct)
	switch {
	case err != nil:
		return err
	case transcripts && !r.DeleteSessions:
		return refuseTranscripts("codex swop remove "+say.ShellQuote(acct.Meta.Label)+" --delete-sessions", acct)
	case r.Yes:
		return nil
	}
	return terminal.ConfirmRemoval(fmt.Sprintf("remove account %q?", acct.Meta.Label), "codex swop remove --yes "+say.ShellQuote(acct.Meta.Label))
}

// sayLost says what would be lost with the account, and reports whether transcripts are among it.
func sayLost(s verb.Setup, acct account.Account) (transcripts bool, err error) {
	label := acct.Meta.Label
	login := login.Of(acct, s.Root.SharedHome.Path)
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
		s.Say("account %q may have a login in the system's keyring, where it is kept unless you log out first: codex swop logout %s", label, say.ShellQuote(label))
	case login.Mode != "none":
		s.Say("account %q has a login: %s", label, login.Text())
	case len(names) > 0:
		s.Say("account %q has no login", label)
	default:
		s.Say("account %q has no login; nothing will be lost", label)
	}
	return len(names) > 0, nil
}

// refuseTranscripts returns the error for transcripts that only these accounts have; command removes them too.
func refuseTranscripts(command string, accounts ...account.Account) error {
	var quoted []string
	for _, acct := range accounts {
		quoted = append(quoted, strconv.Quote(acct.Meta.Label))
	}
	err := disk.Unsafe("the private transcripts of %s would be lost", strings.Join(quoted, ", "))
	for _, acct := range accounts {
		err = say.WithHint(err, "move them elsewhere: they are in "+say.Name(acct.CodexHome()))
	}
	return say.WithHint(err, "or: "+command)
}

// lockRemovable locks the account exclusively. It refuses where transcripts would be lost that the user did not agree to lose, and returns
// those of an account for which the user did.
func lockRemovable(s verb.Setup, acct account.Account, r Removal) (l account.Lock, agreed []string, err error) {
	if l, err = s.LockIdle(acct, r.force); err != nil {
		return l, nil, err
	}
	agreed, err = s.Store.Transcripts(acct) // a session may have run since they were shown
	if err == nil && len(agreed) > 0 && !r.DeleteSessions {
		err = refuseTranscripts("codex swop remove "+say.ShellQuote(acct.Meta.Label)+" --delete-sessions", acct)
	}
	if err != nil {
		l.Release()
	}
	return l, agreed, err
}
