//go:build unix

package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/config/file"
	limits "swop/manager/usage"
	"swop/say"
	"swop/shim"
)

func (a *app) useCommand() *cobra.Command {
	var none bool
	cmd := &cobra.Command{
		Use:   "use [LABEL | auto | @POOL | --none]",
		Short: "Choose the account that plain codex runs as",
		Long: "Choose the account that plain codex runs as, where no directory is bound and SWOP_ACCOUNT is not set.\n" +
			"Without a label it asks which, on the terminal. Running sessions keep their account.\n\n" +
			"With auto, each start takes an account that has room; with @POOL, one of that pool of config.toml.",
		Example: example(
			"codex swop use work",
			"codex swop use           choose from a list",
			"codex swop use auto      an account that has room",
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
		var release func()
		if label, release, err = s.selectable(args[0]); err != nil {
			return err
		}
		defer release()
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
		a.say("codex runs as %s%s", choiceText(label), a.exceptHere(s, label, shim.BySelector))
		a.sayIfNobody(s, label)
	case before == "":
		a.say("no account was active")
	default:
		a.say("codex runs without an account%s", a.exceptHere(s, label, shim.ByNothing))
	}
	return nil
}

// selectable returns what the selector is to say for an account or a pool that exists. An account is kept from being removed or renamed until release
// is called.
func (s setup) selectable(choice string) (label string, release func(), err error) {
	if key, ok := config.PoolOf(choice); ok {
		_, err := limits.PoolNamed(s.store, s.settings, key)
		return config.PoolName(key), func() {}, err
	}
	acct, l, err := s.hold(choice)
	return acct.Meta.Label, l.Release, err
}

// sayIfNobody says so where the choice is a pool and none of its accounts is logged in.
func (a *app) sayIfNobody(s setup, choice string) {
	key, ok := config.PoolOf(choice)
	if !ok {
		return
	}
	all, err := limits.Survey(s.store, s.SharedHome(), a.now())
	if err == nil {
		_, err = all.Pick(s.settings, key, "")
	}
	if errors.Is(err, limits.ErrNobody) {
		say.Error(a.stderr, err)
	}
}

// exceptHere says what codex runs as here instead of the choice, and why: something that comes before the ways that were set, as the environment does.
func (a *app) exceptHere(s setup, choice string, set ...shim.Why) string {
	here, err := a.chooseOrPool(s)
	if err != nil || slices.Contains(set, here.Why) {
		return ""
	}
	as := "without an account"
	if !here.IsNone() {
		name := cmp.Or(here.Label, config.PoolName(here.Pool))
		if key, err := config.Key(choice); name == choice || err == nil && hasKey(name, key) {
			return ""
		}
		as = "as " + choiceText(name)
	}
	return fmt.Sprintf("; but here %s, because %s", as, whichAnswer{Why: here.Why, Path: here.Path}.because())
}

// choiceText says what codex runs as, for people.
func choiceText(choice string) string {
	if key, ok := config.PoolOf(choice); ok {
		return fmt.Sprintf("an account of the pool %q", key)
	}
	return strconv.Quote(choice)
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

// pick returns the label of the account that the person at the terminal picks, "" for no account. Without a terminal it returns an error that names the
// accounts.
func (a *app) pick(s setup) (string, error) {
	selector, err := file.ReadSelector(s.Places)
	if err != nil {
		return "", err
	}
	l, err := a.entries(s, shim.Choice{Label: selector.Account})
	if err != nil {
		return "", err
	}
	if len(l.Accounts) == 0 {
		return "", labelMissing(l)
	}
	current := 1 + slices.IndexFunc(l.Accounts, func(e listEntry) bool { return e.Active })
	if current == 0 && selector.Account != "" {
		current = -1 // an account that its first run creates
	}
	n, err := a.askNumber(layTable([]column{ // the titles are the line for no account
		newColumn("none", l.Accounts, func(e listEntry) string { return e.Label }),
		newColumn("codex runs without an account", l.Accounts, func(e listEntry) string { return e.Login.Text() }),
	}), 0, current)
	switch {
	case errors.Is(err, errNoTerminal):
		return "", labelMissing(l)
	case err != nil || n == 0:
		return "", err
	}
	return l.Accounts[n-1].Label, nil
}
