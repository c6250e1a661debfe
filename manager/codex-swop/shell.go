//go:build unix

package main

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"swop/say"
)

func (a *app) shellCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "shell LABEL",
		Short: "Start a shell that is in an account",
		Long: "Start your shell ($SHELL, else /bin/sh) in an account's environment: codex, and programs that read its files, run as it there, " +
			"also where a directory is bound to another one. Leave it with exit. The exit status is the shell's.",
		Example: example("codex swop shell work", "SHELL=/bin/sh codex swop shell work"),
		Args:    takes(1, "LABEL"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.runShell(args[0]) },
	}
}

func (a *app) runShell(label string) error {
	s, err := a.look()
	if err != nil {
		return err
	}
	acct, err := s.store.Find(label)
	if err != nil {
		return err
	}
	shell := cmp.Or(a.env.Value("SHELL"), "/bin/sh")
	if _, err := os.Stat(shell); err != nil {
		return say.WithHint(err, "SHELL=/bin/sh codex swop shell "+say.ShellQuote(label))
	}
	if a.isInteractive() {
		a.say("this is %s as %q; leave it with: exit", filepath.Base(shell), acct.Meta.Label)
	}
	return a.runIn(acct.Meta.Label, []string{shell})
}
