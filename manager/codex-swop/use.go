//go:build unix

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/config/file"
	limits "swop/limits/usage"
	"swop/manager/terminal"
	"swop/say"
	"swop/shim"
)

func useCommand(a *app) *cobra.Command {
	var none bool
	cmd := &cobra.Command{
		Use:   "use [LABEL | auto | @POOL | --none]",
		Short: "Choose the account that plain codex runs as",
		Long: "Choose the account that plain codex runs as, where no directory is bound and SWOP_ACCOUNT is not set.\n" +
			"Without a label it asks which, on the terminal. Running sessions keep their account.\n\n" +
			"With auto, each start takes an account that has room; with @POOL, one of that pool of config.toml.",
		ValidArgsFunction: completeWords(a.completeChoice),
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
		if label, release, err = a.selectable(s, args[0]); err != nil {
			if args[0] == "none" {
				err = say.WithHint(usage("none is not a label"), "codex swop use --none")
			}
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
	case before == "":
		a.say("no account was active")
	default:
		a.say("codex runs without an account%s", a.exceptHere(s, label, shim.ByNothing))
	}
	return nil
}

// selectable returns what the selector is to say for an account or a pool that exists. An account is kept from being removed or renamed until release
// is called. A pool of which no start could take an account is refused.
func (a *app) selectable(s setup, choice string) (label string, release func(), err error) {
	key, ok := config.PoolOf(choice)
	if !ok {
		acct, l, err := s.hold(choice)
		return acct.Meta.Label, l.Release, err
	}
	all, err := limits.Survey(s.store, s.SharedHome(), a.now())
	if err != nil {
		return "", nil, err
	}
	if _, err := all.Pick(s.settings, key, ""); err != nil {
		if errors.Is(err, limits.ErrNobody) {
			err = refused(err)
		}
		return "", nil, err
	}
	return config.PoolName(key), func() {}, nil
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
	return fmt.Sprintf("; but here %s, because %s", as, because(here.Why, here.Path))
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

// pick returns the account or the pool that the person at the terminal picks, "" for no account. Without a terminal it returns an error that names
// the accounts.
func (a *app) pick(s setup) (string, error) {
	selector, err := file.ReadSelector(s.Places)
	if err != nil {
		return "", err
	}
	l, err := a.entries(s, shim.Choice{})
	if err != nil {
		return "", err
	}
	if len(l.Accounts) == 0 {
		return "", labelMissing(l)
	}
	list := append([]selection{{"none", "codex runs without an account"}}, s.selections(l)...)
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

// selection is an account or a pool that can be used, with what is said of it.
type selection struct{ name, text string }

// selections returns the accounts and the pools: those of config.toml, and auto where an account has a login that it takes.
func (s setup) selections(l listAnswer) (list []selection) {
	pools := slices.Collect(maps.Keys(s.settings.Pools))
	for _, e := range l.Accounts {
		list = append(list, selection{e.Label, e.Login.Text()})
		if e.Login.Mode == "chatgpt" || e.Login.Mode == "keyring" {
			pools = append(pools, config.AutoPool)
		}
	}
	slices.Sort(pools)
	for _, key := range slices.Compact(pools) {
		text := "each start takes an account that has room"
		if p, _ := s.settings.Pool(key); len(p.Accounts) > 0 {
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
