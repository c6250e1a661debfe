package accounts

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/login"
	"swop/internal/disk"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/verb"
)

func Rename(call *verb.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "rename OLD NEW",
		Aliases: []string{"mv"},
		Short:   "Give an account another label",
		Long: "Give an account another label. Its login and its bindings follow. While config.toml names the account it refuses: swop never " +
			"writes that file, and what it says would no longer apply.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels)),
		Example:           verb.Example("codex swop rename work \"Work Team\""),
		Args:              verb.Takes(2, "OLD", "NEW"),
		RunE:              verb.With(call.Open, func(s verb.Setup, args []string) error { return rename(s, args[0], args[1]) }),
	}
}

func rename(s verb.Setup, old, label string) error {
	acct, err := s.Store.Find(old)
	if err != nil {
		return err
	}
	key, err := config.NewKey(label)
	if err != nil {
		return err
	}
	if _, err := config.ReadSelector(s.Places); err != nil {
		return err // a selector that cannot be read cannot follow
	}
	if key != acct.Key {
		if err := mayMove(s, acct, label, key); err != nil {
			return err
		}
	}
	l, err := s.LockIdle(acct)
	if err != nil {
		return err
	}
	defer l.Release()
	if key != acct.Key {
		target, err := s.Store.LockExclusive(key)
		if err != nil {
			return fmt.Errorf("account %q: %w", key, err)
		}
		defer target.Release()
	}
	// New entries of the sandbox may have links into it, which are found only while it has its old path.
	if err := s.Rescue(acct); err != nil {
		return err
	}
	if _, err := s.Store.Rename(acct, label); err != nil {
		return err
	}
	if key != acct.Key {
		if err := usage.Rename(s.Store.Layout, acct.Key, key); err != nil {
			return err
		}
	}
	s.Say("account %q is now %q", acct.Meta.Label, label)
	return nil
}

// mayMove refuses a key that is taken, and a move that would lose a login in the keyring, which knows it by path, or the account's tables
// in config.toml.
func mayMove(s verb.Setup, acct account.Account, label, key string) error {
	if there, err := s.Store.Account(key); err == nil {
		return fmt.Errorf("account %q %w", there.Meta.Label, account.ErrExists)
	}
	if login.Of(acct).MayBeInKeyring() {
		err := disk.Unsafe("the login of %q may be in the system's keyring, which knows it by the account's path", acct.Meta.Label)
		return say.WithHint(err, "log out, rename, and log in again: codex swop logout "+say.ShellQuote(acct.Meta.Label))
	}
	names := s.Settings.Names()[acct.Key]
	if len(names) == 0 {
		return nil
	}
	err := disk.Unsafe("config.toml names %q in %s, and rename does not change that file", acct.Key, strings.Join(names, ", "))
	file := filepath.Join(s.Places.Config, config.SettingsFile)
	return say.WithHint(err, fmt.Sprintf("name %s there first: %s", say.ShellQuote(label), file))
}
