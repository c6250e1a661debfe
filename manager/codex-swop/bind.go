//go:build unix

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/disk"
	"swop/say"
	"swop/shim"
)

func bindCommand(a *app) *cobra.Command {
	var policy string
	var bridges []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bind [LABEL|auto|@POOL [DIR]]",
		Short: "Run codex as an account in a directory and below it",
		Long: "Without arguments, list the bindings.\n\nRun codex as an account in a directory (default: the working directory) and in all below it. The binding of the innermost\n" +
			"directory counts. With --confine, sessions there run confined by that policy: off, danger-full-access, workspace-write or read-only;\n" +
			"by default, by what config.toml says of the account. With --bridge, they have that bridge, and no other that is not named. With either\n" +
			"one the directory is made if it is missing. A directory that is bound again keeps its policy and bridges, unless others are given;\n" +
			"unbind removes them.",
		ValidArgsFunction: completeWords(a.completeChoice, completeDirectory),
		Example: example(
			"codex swop bind                           list the bindings", "codex swop bind acme ~/clients/acme", "codex swop bind personal", "codex swop bind @acme ~/clients/acme",
			"codex swop bind acme ~/clients/acme --confine workspace-write --bridge github",
		),
		Args: takes(0, "LABEL", "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if policy != "" || len(bridges) > 0 {
					return wrongUsage(cmd, "missing LABEL")
				}
				return a.listBindings(asJSON)
			}
			if asJSON {
				return wrongUsage(cmd, "--json is for the list, without LABEL")
			}
			if policy != "" && !slices.Contains(config.Policies(), policy) {
				return wrongUsage(cmd, "--confine %q is not one of: %s", policy, strings.Join(config.Policies(), ", "))
			}
			return a.bind(args[0], args[1:], config.Binding{Confine: policy, Bridges: bridges})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	cmd.Flags().StringVar(&policy, "confine", "", "confine sessions there by this `POLICY`")
	cmd.Flags().StringArrayVar(&bridges, "bridge", nil, "give sessions there the bridge `NAME`; may be repeated")
	return cmd
}

// bind binds the directory that args name as b says of policy and bridges. What b does not say stays as the binding in force there has it.
func (a *app) bind(label string, args []string, b config.Binding) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	given := label
	label, release, err := a.selectable(s, given)
	if err != nil {
		return a.orSwapped(s, err, given, args)
	}
	defer release()
	if err := s.checkBridges(label, b.Bridges); err != nil {
		return err
	}
	dir, err := boundDirectory(args, b.Confine != "" || len(b.Bridges) > 0)
	if err != nil {
		return err
	}
	b.Path, b.Account = dir, label
	var was config.Binding
	err = s.store.ChangeSelector(func(sel *config.Selector) error {
		was = sel.For(dir)
		b = bindIn(sel, b)
		return say.WithHint(s.checkBridges(label, b.Bridges), "codex swop unbind "+say.ShellQuote(was.Path))
	})
	if err == nil {
		a.say("codex runs as %s in %s%s%s%s", choiceText(label), dir, confinedInstead(b.Confine, was.Confine), bridgedBy(b.Bridges),
			a.exceptHere(s, label, shim.ByBinding, shim.BySelector, shim.ByNothing))
	}
	return err
}

// orSwapped returns the error of a label that cannot be bound, or where the directory is the label, one that says so.
func (a *app) orSwapped(s setup, err error, dir string, args []string) error {
	if len(args) == 0 {
		return err
	}
	label, release, none := a.selectable(s, args[0])
	if none != nil {
		return err
	}
	release()
	return say.WithHint(usage("the label comes before the directory"), "codex swop bind "+say.ShellQuote(label)+" "+say.ShellQuote(dir))
}

// bindIn puts a binding into the selector, in the place of one of the same directory, and returns it: what b does not say of confinement and
// bridges is that of the binding in force there.
func bindIn(sel *config.Selector, b config.Binding) config.Binding {
	was := sel.For(b.Path)
	b.Confine = cmp.Or(b.Confine, was.Confine)
	if len(b.Bridges) == 0 {
		b.Bridges = was.Bridges
	}
	sel.Directory = append(slices.DeleteFunc(sel.Directory, isOf(b.Path)), b)
	slices.SortFunc(sel.Directory, func(a, b config.Binding) int { return strings.Compare(a.Path, b.Path) })
	return b
}

// bindPool lets the account of the directory come from a pool, and returns what is to be said of that, with the command that undoes it.
func (s setup) bindPool(dir, key string) (said string, err error) {
	name, undo := config.PoolName(key), "codex swop unbind"
	err = s.store.ChangeSelector(func(sel *config.Selector) error {
		was := sel.For(dir)
		if was.Path == dir {
			undo = "codex swop bind " + say.ShellQuote(was.Account)
		}
		if was.Path != dir || was.Account != name {
			said = fmt.Sprintf(", now bound to the pool %q; undo that with: %s", key, undo)
		}
		bindIn(sel, config.Binding{Path: dir, Account: name})
		return nil
	})
	return said, err
}

// checkBridges fails if one of the bridges is missing in the account that is chosen, or in one of the pool's.
func (s setup) checkBridges(choice string, names []string) error {
	who, keys := choiceText(choice), []string{""} // of pool auto: the bridges of every account
	if key, ok := config.PoolOf(choice); !ok {
		key, err := config.Key(choice)
		if err != nil {
			return err
		}
		who, keys = "the account "+who, []string{key}
	} else if p, _ := s.settings.Pool(key); len(p.Accounts) > 0 {
		keys = p.Accounts
	}
	for _, key := range keys {
		if _, missing := s.settings.BridgesFor(key).Only(names); missing != "" {
			return say.WithHint(fmt.Errorf("%s has no bridge %q", who, missing), "codex swop bridge")
		}
	}
	return nil
}

// boundDirectory returns the directory that args name. One that is missing is an error, or made, if it is to be more than an account's.
func boundDirectory(args []string, mayMake bool) (string, error) {
	dir, err := directory(args)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	switch {
	case mayMake && errors.Is(err, fs.ErrNotExist):
		if err := disk.MakeDirs(dir); err != nil {
			return "", err
		}
		return directory(args)
	case errors.Is(err, fs.ErrNotExist):
		return "", say.WithHint(fmt.Errorf("there is no directory %s", dir), "mkdir -p "+say.ShellQuote(dir))
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", usage("%s is not a directory", dir)
	}
	return dir, nil
}

// bridgedBy says which bridges a session has, "" if it has all of the account's.
func bridgedBy(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", with the bridges: " + strings.Join(names, ", ")
}

// confinedBy says by which policy a session is confined, "" if it is not.
func confinedBy(policy string) string {
	if policy == "" || policy == config.ConfineOff {
		return ""
	}
	return ", confined: " + policy
}

// confinedInstead is confinedBy, with what held before where that is another policy.
func confinedInstead(policy, was string) string {
	text := confinedBy(policy)
	if was == policy || confinedBy(was) == "" {
		return text
	}
	return cmp.Or(text, ", not confined") + " (before: " + was + ")"
}

func unbindCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "unbind [DIR]",
		Short:             "Remove a directory's binding",
		ValidArgsFunction: completeWords(completeBound(a)),
		Example:           example("codex swop unbind ~/clients/acme", "codex swop unbind"),
		Args:              takes(0, "DIR"),
		RunE:              func(_ *cobra.Command, args []string) error { return a.unbind(args) },
	}
}

func (a *app) unbind(args []string) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	dir, err := directory(args)
	if err != nil {
		return err
	}
	err = s.store.ChangeSelector(func(sel *config.Selector) error {
		before := len(sel.Directory)
		sel.Directory = slices.DeleteFunc(sel.Directory, isOf(dir))
		if len(sel.Directory) == before {
			return notBound(sel.For(dir), dir)
		}
		return nil
	})
	if err == nil {
		a.say("no account is bound to %s any more", dir)
	}
	return err
}

// notBound says that no account is bound to dir, and what decides there: the binding of a directory above it, if any.
func notBound(above config.Binding, dir string) error {
	if above.Path == "" {
		return say.WithHint(fmt.Errorf("no account is bound to %s", dir), "codex swop bind")
	}
	err := fmt.Errorf("%s is not bound; %s above it is, to %s", dir, above.Path, choiceText(above.Account))
	return say.WithHint(err, "codex swop unbind "+say.ShellQuote(above.Path))
}

// isOf returns a function that reports whether a binding is that of dir.
func isOf(dir string) func(config.Binding) bool {
	return func(b config.Binding) bool { return b.Path == dir }
}

// directory returns the directory that args name, else the working directory, absolute with links resolved. One that no longer exists is
// made absolute only, so that it can still be unbound.
func directory(args []string) (string, error) {
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	if dir == "" {
		return "", usage("the directory is empty")
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return filepath.Abs(dir)
}
