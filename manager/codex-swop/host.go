//go:build unix

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"swop/bridge"
	"swop/say"
)

func hostCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "host NAME [CHOICE…]",
		Short: "Run a command of [bridge.commands] outside of the session",
		Long: "Run a command of [bridge.commands] in config.toml outside of the session that this is called in: in its own directory, with the\n" +
			"choices that it has places for and nothing else. Input, output and the exit status are the command's. codex swop bridge lists\n" +
			"the commands.",
		ValidArgsFunction: completeWords(completeHost(a)),
		Example:           example("codex swop host deploy staging", "codex swop host release"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return wrongUsage(cmd, "missing NAME")
			}
			return a.runOnHost(args[0], args[1:])
		},
	}
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func (a *app) runOnHost(name string, choices []string) error {
	if a.bridgeDir() == "" {
		return say.WithHint(errors.New("this is no session with bridges or host commands"), "codex swop bridge")
	}
	status, err := bridge.RunHost(a.bridgeDir(), name, choices, a.Stdin, a.Stdout, a.Stderr)
	if err != nil {
		return err
	}
	return exited(status)
}
