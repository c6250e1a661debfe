//go:build unix

package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/say"
)

func (a *app) useCommand() *cobra.Command {
	var none bool
	cmd := &cobra.Command{
		Use:   "use [LABEL | --none]",
		Short: "Choose the account that plain codex runs as",
		Long: "Choose the account that plain codex runs as, where no directory is bound and SWOP_ACCOUNT is not set.\n" +
			"Without a label it asks which, on the terminal. Running sessions keep their account.",
		Example: example(
			"codex swop use work",
			"codex swop use           choose from a list",
			"codex swop use --none    plain codex runs as if swop were not there",
		),
		Args: takes(0, "LABEL"),
		RunE: func(_ *cobra.Command, args []string) error {
			if none && len(args) == 1 {
				return say.WithHint(usage("LABEL and --none exclude each other"), "codex swop list")
			}
			return a.use(args, none)
		},
	}
	cmd.Flags().BoolVar(&none, "none", false, "choose no account")
	return cmd
}

// use activates the account that args name, none if that is asked for, else the one that is picked.
func (a *app) use(args []string, none bool) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	if len(args) == 0 && !none {
		picked, err := a.pick(s)
		if err != nil {
			return err
		}
		if picked != "" {
			args = []string{picked}
		}
	}
	label := ""
	if len(args) == 1 {
		acct, l, err := s.hold(args[0])
		if err != nil {
			return err
		}
		defer l.Release()
		label = acct.Meta.Label
	}
	before := ""
	err = s.store.ChangeSelector(func(sel *config.Selector) error {
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

// labelMissing returns the error where no one can be asked.
func labelMissing(l listAnswer) error {
	if len(l.Accounts) == 0 {
		return say.WithHint(usage("missing LABEL, and there are no accounts yet"), "codex swop add work")
	}
	var labels []string
	for _, e := range l.Accounts[:min(len(l.Accounts), maxSummary)] {
		labels = append(labels, strconv.Quote(e.Label))
	}
	if more := len(l.Accounts) - len(labels); more > 0 {
		labels = append(labels, fmt.Sprintf("or one of %d more", more))
	}
	err := say.WithHint(usage("missing LABEL or --none: %s", strings.Join(labels, ", ")), "codex swop use "+say.ShellQuote(l.Accounts[0].Label))
	return say.WithHint(err, "codex swop list")
}
