//go:build unix

package confined

import (
	"errors"

	"github.com/spf13/cobra"

	"swop/bridge"
	"swop/manager/verb"
	"swop/say"
)

// hostCommands returns the names of the host commands of the session.
func hostCommands(session bridge.State, _ string) (list []cobra.Completion) {
	for _, c := range session.Commands {
		list = append(list, cobra.CompletionWithDesc(c.Name, c.Usage))
	}
	return list
}

func Host(call *verb.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "host NAME [CHOICE…]",
		Short: "Run a command of [bridge.commands] outside of the session",
		Long: "Run a command of [bridge.commands] in config.toml outside of the session that this is called in: in its own directory, with the\n" +
			"choices that it has places for and nothing else. Input, output and the exit status are the command's. codex swop bridge lists\n" +
			"the commands.",
		ValidArgsFunction: verb.CompleteWords(verb.CompleteFrom(func() (bridge.State, error) { return bridge.StateOf(bridgeDir(call)) }, verb.NoFiles, hostCommands)),
		Example:           verb.Example("codex swop host deploy staging", "codex swop host release"),
		Args:              verb.Needs("NAME"),
		RunE:              func(_ *cobra.Command, args []string) error { return runOnHost(call, args[0], args[1:]) },
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
