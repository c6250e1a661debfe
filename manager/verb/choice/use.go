// Package choice, swop's own, has the verbs that choose the account that codex runs as, and those that run something as one.
package choice

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/shim"
)

func Use(call *verb.Call) *cobra.Command {
	return &cobra.Command{
		Use:   "use [LABEL | auto | @POOL | none]",
		Short: "Choose the account that plain codex runs as",
		Long: "Choose the account that plain codex runs as, where no directory is bound and SWOP_ACCOUNT is not set.\n" +
			"Without a label it asks which, on the terminal. Running sessions keep their account.\n\n" +
			"With auto, each start takes an account that has room; with @POOL, one of that pool of config.toml.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels, verb.Pools)),
		Example: verb.Example(
			"codex swop use work",
			"codex swop use           choose from a list",
			"codex swop use auto      an account that has room",
			"codex swop use none      plain codex runs as if swop were not there",
		),
		Args: verb.Takes(0, "LABEL"),
		RunE: verb.With(call.Open, use),
	}
}

// use activates the account that args name, or without args the picked one.
func use(s verb.Setup, args []string) (err error) {
	if len(args) == 0 {
		picked, err := pick(s)
		if err != nil {
			return err
		}
		args = []string{picked}
	}
	label := ""
	if args[0] != noAccount {
		var release func()
		if label, release, err = selectable(s, args[0]); err != nil {
			return err
		}
		defer release()
	}
	err = s.Store.ChangeSelector(func(sel *config.Selector) error {
		sel.Account = label
		return nil
	})
	switch {
	case err != nil:
		return err
	case label != "":
		s.Say("codex runs as %s%s", verb.ChoiceText(label), s.ExceptHere(label, shim.BySelector))
	default:
		s.Say("codex runs without an account%s", s.ExceptHere(label, shim.ByNothing))
	}
	return nil
}

// selectable returns the text for the selector: the label of an account that exists, which nobody removes or renames until release is
// called, or the name of a pool. It refuses a pool without an account that a start could take.
func selectable(s verb.Setup, choice string) (label string, release func(), err error) {
	key, ok := config.PoolOf(choice)
	if !ok {
		acct, l, err := s.FindLocked(choice)
		return acct.Meta.Label, l.Release, err
	}
	all, err := usage.Survey(s.Store, s.Now())
	if err != nil {
		return "", nil, err
	}
	_, err = all.Pick(s.Settings, key, "")
	return config.PoolName(key), func() {}, err
}

// noAccount is the word for no account. No account can have this label.
const noAccount = "none"

// pick returns the account or the pool that the person at the terminal picks, or [noAccount]. Enter takes the choice in force.
func pick(s verb.Setup) (string, error) {
	selector, err := config.ReadSelector(s.Places)
	if err != nil {
		return "", err
	}
	list := verb.Labels(s, "")
	if len(list) == 0 {
		return "", say.WithHint(verb.Usagef("missing LABEL, and there are no accounts yet"), "codex swop add work")
	}
	list = slices.Concat([]cobra.Completion{noAccount + "\tcodex runs without an account"}, list, verb.Pools(s, ""))
	names, about := make([]string, len(list)), make([]string, len(list))
	for i, choice := range list {
		names[i], about[i], _ = strings.Cut(choice, "\t")
	}
	named := func(label string) int {
		return slices.IndexFunc(names, func(name string) bool { return name == label || config.HasKey(label, name) })
	}
	cell := func(text string) string { return text }
	rows := terminal.Rows([]terminal.Column{terminal.NewColumn("", names, cell), terminal.NewColumn("", about, cell)})
	n, err := terminal.Choose(rows, named(cmp.Or(selector.Account, noAccount)), named)
	if errors.Is(err, terminal.ErrNobody) {
		err = say.WithHint(verb.Usagef("missing LABEL or none"), "codex swop list")
	}
	if err != nil {
		return "", err
	}
	return names[n], nil
}
