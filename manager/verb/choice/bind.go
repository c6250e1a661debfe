package choice

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/terminal"
	"swop/manager/verb"
	"swop/shim"
)

func Bind(call *verb.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bind [LABEL|auto|@POOL [DIR]]",
		Short: "Run codex as an account in a directory and below it",
		Long: "Without arguments, list the bindings.\n\nRun codex as an account in a directory (default: the working directory) and in all " +
			"below it. The binding of the innermost directory counts. An account that is confined is so wherever it runs: codex swop add " +
			"--confine.",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels, verb.Pools), verb.CompleteDirectory),
		Example: verb.Example(
			"codex swop bind                           list the bindings", "codex swop bind acme ~/clients/acme", "codex swop bind personal",
			"codex swop bind @acme ~/clients/acme",
		),
		Args: verb.Takes(0, "LABEL", "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return verb.Answer(call.Open, listBindings, showBindings)(cmd, args)
			}
			if call.JSON {
				return verb.WrongUsage(cmd, "--json is for the list, without LABEL")
			}
			return verb.With(call.Open, func(s verb.Setup, args []string) error { return bind(s, args[0], args[1:]) })(cmd, args)
		},
	}
	call.JSONFlag(cmd)
	return cmd
}

// bind binds the directory that args name.
func bind(s verb.Setup, given string, args []string) error {
	label, release, err := selectable(s, given)
	if err != nil {
		return err
	}
	defer release()
	dir, err := verb.Directory(args)
	if err != nil {
		return err
	}
	if !disk.IsDir(dir) { // the name may be a slip, and the directory that was meant would run as another account
		return verb.Usagef("%s is not a directory", say.Name(dir))
	}
	err = s.Store.ChangeSelector(func(sel *config.Selector) error {
		return s.PutBinding(sel, config.Binding{Path: dir, Account: label})
	})
	if err == nil {
		acct, _ := s.Store.Find(label) // a pool is none
		s.Say("codex runs as %s in %s%s%s", verb.ChoiceText(label), dir, confinedBy(acct.Meta.Confine),
			s.ExceptHere(label, shim.ByBinding, shim.BySelector, shim.ByNothing))
	}
	return err
}

// confinedBy returns the end of a sentence about a session with this policy, "" for an unconfined one.
func confinedBy(policy string) string {
	if policy == "" || policy == config.ConfineOff {
		return ""
	}
	return ", confined: " + policy
}

func Unbind(call *verb.Call) *cobra.Command {
	return &cobra.Command{
		Use:               "unbind [DIR]",
		Short:             "Remove a directory's binding",
		ValidArgsFunction: verb.CompleteWords(verb.CompleteDirectory),
		Example:           verb.Example("codex swop unbind ~/clients/acme", "codex swop unbind"),
		Args:              verb.Takes(0, "DIR"),
		RunE:              verb.With(call.Open, unbind),
	}
}

func unbind(s verb.Setup, args []string) error {
	dir, err := verb.Directory(args)
	if err != nil {
		return err
	}
	err = s.Store.ChangeSelector(func(sel *config.Selector) error {
		before := len(sel.Directory)
		sel.Directory = slices.DeleteFunc(sel.Directory, func(b config.Binding) bool { return b.Path == dir })
		if len(sel.Directory) == before {
			return notBound(*sel, dir)
		}
		return nil
	})
	if err == nil {
		s.Say("no account is bound to %s any more", dir)
	}
	return err
}

// notBound returns the error for a directory without a binding of its own. It names the binding of a directory above.
func notBound(sel config.Selector, dir string) error {
	err := fmt.Errorf("no account is bound to %s", dir)
	if above := sel.For(dir); above.Path != "" {
		err = fmt.Errorf("%w; %s above it is bound to %s", err, above.Path, verb.ChoiceText(above.Account))
		return say.WithHint(err, "codex swop unbind "+say.ShellQuote(above.Path))
	}
	return say.WithHint(err, "codex swop bind")
}

// bindingsAnswer is the list of bindings, as --json prints it: by path.
type bindingsAnswer struct {
	SchemaVersion int            `json:"schema_version"`
	Bindings      []bindingEntry `json:"bindings"`
}

type bindingEntry struct {
	Path    string `json:"path"`
	Account string `json:"account"`           // a label, or a pool as in selector.toml
	Here    bool   `json:"here"`              // codex runs by this binding in the working directory
	Missing string `json:"missing,omitempty"` // "directory", "account" or "pool", if it is gone
}

// listBindings returns the bindings.
func listBindings(s verb.Setup) (bindingsAnswer, error) {
	selector, err := config.ReadSelector(s.Places)
	here, _ := s.HereOrPool() // after an error no binding is marked
	answer := bindingsAnswer{1, []bindingEntry{}}
	for _, b := range selector.Directory {
		missing := store.MissingOf(s.Store, b, s.Settings)
		answer.Bindings = append(answer.Bindings, bindingEntry{b.Path, b.Account, here.Why == shim.ByBinding && b.Path == here.Path, missing})
	}
	return answer, err
}

func showBindings(call *verb.Call, answer bindingsAnswer) error {
	list := answer.Bindings
	if len(list) == 0 {
		call.Say("no directory is bound")
		call.Say("hint: codex swop bind LABEL DIR")
		return nil
	}
	columns := append([]terminal.Column{
		terminal.NewColumn(" ", list, func(b bindingEntry) string { return terminal.Mark(b.Here) }),
		terminal.NewColumn("DIRECTORY", list, func(b bindingEntry) string { return b.Path }),
		terminal.NewColumn("ACCOUNT", list, func(b bindingEntry) string { return b.Account }),
	}, terminal.Filled(
		terminal.NewColumn("MISSING", list, func(b bindingEntry) string { return b.Missing }),
	)...)
	return call.Show(call.Table(columns))
}
