//go:build unix

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/install"
	"swop/manager"
)

func (a *app) uninstallCommand() *cobra.Command {
	var o install.Options
	var purge bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take swop away; the accounts stay",
		Long: "Take swop's programs and its lines in the shells' start-up files away. The accounts stay for a later install\n" +
			"unless --purge is given. What they share, ~/.codex, stays in any case.",
		Example: example("codex swop uninstall", "codex swop uninstall --purge    the accounts and their logins too"),
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.uninstall(o, purge) },
	}
	cmd.Flags().StringVar(&o.Prefix, "prefix", "", "where swop is installed: `DIR` (default where this program is)")
	cmd.Flags().BoolVar(&purge, "purge", false, "remove the accounts and their logins too")
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *app) uninstall(o install.Options, purge bool) error {
	s, err := a.place(&o)
	if err != nil {
		return err
	}
	o.Accounts = s.Places.Root
	if purge {
		o.Purge = func() ([]string, error) { return a.purge(o.Yes) }
	}
	return a.report(install.Uninstall(o))
}

// purge removes every account as remove does, none if one of them is in use, and returns their directories.
func (a *app) purge(yes bool) ([]string, error) {
	s, err := a.open()
	if err != nil {
		return nil, err
	}
	defer s.undo() // the programs may be root's
	accounts, err := s.store.Accounts()
	if err != nil {
		return nil, err
	}
	for _, account := range accounts {
		if err := refuseUse(s, account); err != nil {
			return nil, err
		}
	}
	if err := a.agreedToPurge(s, accounts, yes || len(accounts) == 0); err != nil {
		return nil, err
	}
	for _, account := range accounts {
		if err := a.mayPurge(s, account); err != nil {
			return nil, err
		}
	}
	var gone []string
	for _, account := range accounts {
		if err := a.purgeOne(s, account); err != nil {
			return gone, err
		}
		gone = append(gone, account.Dir)
	}
	if err := s.store.ClearRelics(); err != nil {
		return gone, err
	}
	rest, err := a.removeRoot(s)
	return append(gone, rest...), err
}

// mayPurge brings what an account's programs made to the shared home, and refuses where something cannot be brought there: it would go
// with the account.
func (a *app) mayPurge(s scene, account manager.Account) error {
	l, err := a.idle(s, account, false)
	if err != nil {
		return err
	}
	defer l.Release()
	return a.nothingWaits(s, account)
}

func (a *app) nothingWaits(s scene, account manager.Account) error {
	if err := a.lastLook(s, account); err != nil {
		return err
	}
	return config.WithHint(nothingLeft(s, account), fmt.Sprintf("move it away, or codex swop remove --force %s", manager.ShellQuote(account.Meta.Label)))
}

func (a *app) purgeOne(s scene, account manager.Account) error {
	l, err := a.idle(s, account, false)
	if err != nil {
		return err
	}
	defer l.Release()
	if err := a.nothingWaits(s, account); err != nil { // made since the first look
		return err
	}
	if err := a.forget(s, account.Key); err != nil {
		return err
	}
	return s.store.Delete(account, "")
}

// agreedToPurge asks the person at the terminal, or wants --yes.
func (a *app) agreedToPurge(s scene, accounts []manager.Account, yes bool) error {
	for _, account := range accounts {
		a.say("account %q alone has: %s", account.Meta.Label, belongings(account.Login(s.Root.SharedHome.Path)))
		a.sayOwn(s, account)
	}
	if yes {
		return nil
	}
	agreed, err := confirm(fmt.Sprintf("swop: remove swop and all %d accounts?", len(accounts)))
	if err != nil {
		err := fmt.Errorf("%w: there is no terminal to ask on", manager.ErrUnsafe)
		return config.WithHint(err, "codex swop uninstall --purge --yes")
	}
	if !agreed {
		return fmt.Errorf("%w: not agreed to, nothing was removed", manager.ErrUnsafe)
	}
	return nil
}
