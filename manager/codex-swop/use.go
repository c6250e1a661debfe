//go:build unix

package main

import (
	"github.com/spf13/cobra"

	"swop/config"
)

func (a *app) useCommand() *cobra.Command {
	var none bool
	cmd := &cobra.Command{
		Use:   "use LABEL | use --none",
		Short: "Choose the account that plain codex runs as",
		Long: "Choose the account that plain codex runs as, where no directory is bound and SWOP_ACCOUNT is not set.\n" +
			"Sessions that run already stay in their account.",
		Example: example("codex swop use work", "codex swop use --none    plain codex runs as if swop were not there"),
		Args:    wants(0, 1, "a label, or --none"),
		RunE: func(_ *cobra.Command, args []string) error {
			if none == (len(args) == 1) {
				return config.WithHint(usage("use wants a label, or --none"), "codex swop list")
			}
			return a.use(args)
		},
	}
	cmd.Flags().BoolVar(&none, "none", false, "choose no account")
	return cmd
}

// use makes the account that args names the active one, or none if args is empty.
func (a *app) use(args []string) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	label := ""
	if len(args) == 1 {
		account, err := s.store.Find(args[0])
		if err != nil {
			return err
		}
		label = account.Meta.Label
	}
	before := ""
	err = a.changeSelector(s, func(sel *config.Selector) error {
		before, sel.Account = sel.Account, label
		return nil
	})
	switch {
	case err != nil:
		return err
	case label != "":
		a.say("codex runs as %q", label)
	case before == "":
		a.say("no account was active")
	default:
		a.say("codex runs without an account")
	}
	return nil
}

// changeSelector reads the selector, changes it and writes it back, one at a time. An unchanged one is not written.
func (a *app) changeSelector(s scene, change func(*config.Selector) error) error {
	l, err := s.store.LockSelector()
	if err != nil {
		return err
	}
	defer l.Release()
	sel, err := config.ReadSelector(s.Places)
	if err != nil {
		return err
	}
	before, err := sel.Text()
	if err != nil {
		return err
	}
	if err := change(&sel); err != nil {
		return err
	}
	if after, err := sel.Text(); err != nil || string(after) == string(before) {
		return err
	}
	return config.WriteSelector(s.Places, sel)
}
