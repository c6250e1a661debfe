//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/say"
)

func (a *app) bindCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bind LABEL [DIR]",
		Short: "Run codex as an account in a directory and below it",
		Long: "Run codex as an account in a directory, the working directory if none is given, and in all below it.\n" +
			"The binding of the innermost directory counts.",
		Example: example("codex swop bind acme ~/clients/acme", "codex swop bind personal"),
		Args:    wants(1, 2, "a label and a directory"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.bind(args[0], args[1:]) },
	}
}

func (a *app) bind(label string, args []string) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	acct, l, err := s.hold(label)
	if err != nil {
		return err
	}
	defer l.Release()
	dir, err := directory(args)
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return usage("%s is not a directory", dir)
	}
	err = s.store.ChangeSelector(func(sel *config.Selector) error {
		sel.Directory = append(without(sel.Directory, dir), config.Binding{Path: dir, Account: acct.Meta.Label})
		sort.Slice(sel.Directory, func(i, j int) bool { return sel.Directory[i].Path < sel.Directory[j].Path })
		return nil
	})
	if err == nil {
		a.say("codex runs as %q in %s", acct.Meta.Label, dir)
	}
	return err
}

func (a *app) unbindCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "unbind [DIR]",
		Short:   "Take back the account of a directory",
		Example: example("codex swop unbind ~/clients/acme", "codex swop unbind"),
		Args:    wants(0, 1, "a directory"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.unbind(args) },
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
		left := without(sel.Directory, dir)
		if len(left) == len(sel.Directory) {
			return say.WithHint(fmt.Errorf("no account is bound to %s", dir), "codex swop list")
		}
		sel.Directory = left
		return nil
	})
	if err == nil {
		a.say("no account is bound to %s any more", dir)
	}
	return err
}

// directory returns the directory that args name, else the working directory, absolute with links resolved. What does not exist any
// more is resolved as far as it does, so that it can still be unbound.
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

func without(list []config.Binding, dir string) []config.Binding {
	var left []config.Binding
	for _, b := range list {
		if b.Path != dir {
			left = append(left, b)
		}
	}
	return left
}
