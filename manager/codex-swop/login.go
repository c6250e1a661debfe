//go:build unix

package main

import (
	"github.com/spf13/cobra"

	"swop/shim"
)

func (a *app) loginCommand() *cobra.Command {
	return a.authCommand("login", "Log an account in with codex login",
		"codex swop login work", "codex swop login work --device-auth", "codex swop login work status")
}

func (a *app) logoutCommand() *cobra.Command {
	return a.authCommand("logout", "Log an account out, which revokes its login at OpenAI", "codex swop logout work")
}

// authCommand returns a verb that runs the codex command of the same name in an account. What follows the label goes to it.
func (a *app) authCommand(verb, short string, examples ...string) *cobra.Command {
	return &cobra.Command{
		Use:                verb + " LABEL [FLAGS…]",
		Short:              short,
		Long:               short + ". The account's background server is stopped first: it would go on with the old login.",
		Example:            example(examples...),
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
				return cmd.Help()
			}
			if err := takes(1, "LABEL")(cmd, args[:min(1, len(args))]); err != nil {
				return err
			}
			return a.auth(verb, args[0], args[1:])
		},
	}
}

func (a *app) auth(verb, label string, flags []string) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	real, err := a.codex(s)
	if err != nil {
		return err
	}
	ready, err := a.ready(s, label, "")
	if err != nil {
		return err
	}
	if shim.ChangesLogin(append([]string{"codex", verb}, flags...)) {
		if err := a.stopServer(s, ready.Account, noForce); err != nil {
			return err
		}
	}
	return shim.Exec(real.Path, append([]string{"codex", verb}, flags...), s.Environment(ready))
}
