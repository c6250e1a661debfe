//go:build unix

package confined

import (
	"errors"

	"github.com/spf13/cobra"

	"swop/bridge"
	"swop/manager/verb"
	"swop/say"
)

// completeHost completes the name of a host command of the session.
func completeHost(call *verb.Call) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var list []cobra.Completion
		if state, err := bridge.StateOf(bridgeDir(call)); err == nil { // outside of a session there is none
			for _, c := range state.Commands {
				list = append(list, cobra.CompletionWithDesc(c.Name, c.Usage))
			}
		}
		return list, verb.NoFiles
	}
}

func Host(call *verb.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "host NAME [CHOICE…]",
		Short: "Run a command of [bridge.commands] outside of the session",
		Long: "Run a command of [bridge.commands] in config.toml outside of the session that this is called in: in its own directory, with the\n" +
			"choices that it has places for and nothing else. Input, output and the exit status are the command's. codex swop bridge lists\n" +
			"the commands.",
		ValidArgsFunction: verb.CompleteWords(completeHost(call)),
		Example:           verb.Example("codex swop host deploy staging", "codex swop host release"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return verb.WrongUsage(cmd, "missing NAME")
			}
			return runOnHost(call, args[0], args[1:])
		},
	}
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func runOnHost(call *verb.Call, name string, choices []string) error {
	if bridgeDir(call) == "" {
		return say.WithHint(errors.New("this is no session with bridges or host commands"), "codex swop bridge")
	}
	status, err := bridge.RunHost(bridgeDir(call), name, choices, call.Stdin, call.Stdout, call.Stderr)
	if err != nil {
		return err
	}
	return verb.Exited(status)
}
