//go:build unix

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"swop/manager"
)

func (a *app) syncCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "sync [LABEL]",
		Short:   "Make the sandboxes whole now, of all accounts if none is given",
		Long:    "Make the sandboxes whole now, of all accounts if none is given. Each start of codex does the same for its account.",
		Example: example("codex swop sync", "codex swop sync work"),
		Args:    wants(0, 1, "a label"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.sync(args) },
	}
}

func (a *app) sync(args []string) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	accounts, err := s.store.Accounts()
	if len(args) == 1 {
		var account manager.Account
		account, err = s.store.Find(args[0])
		accounts = []manager.Account{account}
	}
	if err != nil && len(args) == 1 {
		return err
	}
	defects := []error{err}
	for _, account := range accounts {
		if err := a.syncOne(s, account); err != nil {
			defects = append(defects, fmt.Errorf("account %q: %w", account.Meta.Label, err))
		}
	}
	return errors.Join(defects...)
}

// syncOne reconciles the account, all of it if nothing runs in it.
func (a *app) syncOne(s scene, account manager.Account) error {
	l, err := s.store.LockExclusive(account.Key)
	if err != nil && !errors.Is(err, manager.ErrInUse) {
		return err
	}
	defer l.Release()
	resting := err == nil && !l.Unsupported
	quiet := manager.Quiet{Resting: func() (bool, error) { return resting, nil }, Silent: s.silent}
	return s.store.Reconcile(account, s.Root, s.settings, quiet, a.tell)
}
