// Package choice has the verbs that choose the account that codex runs as, and those that run something as one.
package choice

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
	"swop/shim"
)

func Use(call *verb.Call) *cobra.Command {
	var none bool
	cmd := &cobra.Command{
		Use:   "use [LABEL | auto | @POOL | --none]",
		Short: "Choose the account that plain codex runs as",
		Long: "Choose the account that plain codex runs as, where no directory is bound and SWOP_ACCOUNT is not set.\n" +
			"Without a label it asks which, on the terminal. Running sessions keep their account.\n\n" +
			"With auto, each start takes an account that has room; with @POOL, one of that pool of config.toml.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels, verb.Pools)),
		Example: verb.Example(
			"codex swop use work",
			"codex swop use           choose from a list",
			"codex swop use auto      an account that has room",
			"codex swop use --none    plain codex runs as if swop were not there",
		),
		Args: verb.Takes(0, "LABEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if none && len(args) == 1 {
				return say.WithHint(verb.Usagef("LABEL and --none exclude each other"), "codex swop list")
			}
			return verb.With(call.Open, func(s verb.Setup, args []string) error { return use(s, args, none) })(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&none, "none", false, "choose no account")
	return cmd
}

// use activates the account that args name, none if that is asked for, else the one that is picked.
func use(s verb.Setup, args []string, none bool) (err error) {
	if len(args) == 0 && !none {
		picked, err := pick(s)
		if err != nil {
			return err
		}
		if picked != "" {
			args = []string{picked}
		}
	}
	label := ""
	if len(args) == 1 {
		var release func()
		if label, release, err = selectable(s, args[0]); err != nil {
			if args[0] == "none" {
				err = say.WithHint(verb.Usagef("none is not a label"), "codex swop use --none")
			}
			return err
		}
		defer release()
	}
	before := ""
	err = s.Store.ChangeSelector(func(sel *config.Selector) error {
		before, sel.Account = sel.Account, label
		return nil
	})
	switch {
	case err != nil:
		return err
	case label != "":
		s.Say("codex runs as %s%s", verb.ChoiceText(label), s.ExceptHere(label, shim.BySelector))
	case before == "":
		s.Say("no account was active")
	default:
		s.Say("codex runs without an account%s", s.ExceptHere(label, shim.ByNothing))
	}
	return nil
}

// selectable returns what the selector is to say for an account or a pool that exists. An account is kept from being removed or renamed
// until release is called. A pool of which no start could take an account is refused.
func selectable(s verb.Setup, choice string) (label string, release func(), err error) {
	key, ok := config.PoolOf(choice)
	if !ok {
		acct, l, err := s.Hold(choice)
		return acct.Meta.Label, l.Release, err
	}
	all, err := usage.Survey(s.Store, s.SharedHome(), s.Now())
	if err != nil {
		return "", nil, err
	}
	if _, err := all.Pick(s.Settings, key, ""); err != nil {
		if errors.Is(err, usage.ErrNobody) {
			err = verb.Refused(err)
		}
		return "", nil, err
	}
	return config.PoolName(key), func() {}, nil
}

// labelMissing returns the error where no one can be asked.
func labelMissing(l accounts.ListAnswer) error {
	if len(l.Accounts) == 0 {
		return say.WithHint(verb.Usagef("missing LABEL, and there are no accounts yet"), "codex swop add work")
	}
	err := say.WithHint(verb.Usagef("missing LABEL or --none"), "codex swop use "+say.ShellQuote(l.Accounts[0].Label))
	return say.WithHint(err, "codex swop list")
}

// pick returns the account or the pool that the person at the terminal picks, "" for no account. Without a terminal it returns an
// error.
func pick(s verb.Setup) (string, error) {
	selector, err := config.ReadSelector(s.Places)
	if err != nil {
		return "", err
	}
	l, err := accounts.Entries(s, shim.Choice{})
	if err != nil {
		return "", err
	}
	if len(l.Accounts) == 0 {
		return "", labelMissing(l)
	}
	list := append([]selection{{"none", "codex runs without an account"}}, selections(s, l)...)
	preset, name := 0, "none"
	if selector.Account != "" {
		preset = slices.IndexFunc(list[1:], func(c selection) bool { return named(c.name) == named(selector.Account) }) + 1
		if name = list[preset].name; preset == 0 {
			name = "" // its first run creates the account
		}
	}
	n, err := terminal.Choose(terminal.Rows([]terminal.Column{
		terminal.NewColumn("", list, func(c selection) string { return c.name }),
		terminal.NewColumn("", list, func(c selection) string { return c.text }),
	}), 0, preset, name)
	switch {
	case errors.Is(err, terminal.ErrNobody):
		return "", labelMissing(l)
	case err != nil || n == 0:
		return "", err
	}
	return list[n].name, nil
}

// selection is an account or a pool that can be used, with its description.
type selection struct{ name, text string }

// selections returns the accounts and the pools: those of config.toml, and auto where an account has a login that it takes.
func selections(s verb.Setup, l accounts.ListAnswer) (list []selection) {
	pools := slices.Collect(maps.Keys(s.Settings.Pools))
	for _, e := range l.Accounts {
		list = append(list, selection{e.Label, e.Login.Text()})
		if e.Login.Mode == "chatgpt" || e.Login.Mode == "keyring" {
			pools = append(pools, config.AutoPool)
		}
	}
	slices.Sort(pools)
	for _, key := range slices.Compact(pools) {
		text := "each start takes an account that has room"
		if p, _ := s.Settings.Pool(key); len(p.Accounts) > 0 {
			text += ": " + strings.Join(p.Accounts, ", ")
		}
		list = append(list, selection{config.PoolName(key), text})
	}
	return list
}

// named returns the one form of a choice of the selector: how it names a pool, or the account's key.
func named(choice string) string {
	if key, ok := config.PoolOf(choice); ok {
		return config.PoolName(key)
	}
	key, _ := config.Key(choice) // "" for none
	return key
}
