package choice

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"swop/internal/disk"
	"swop/internal/say"
	"swop/manager/verb"
	"swop/manager/verb/accounts"
)

func Run(call *verb.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [flags] LABEL -- COMMAND…",
		Short: "Run any command in an account's environment",
		Long: "Run any command in an account's environment, as codex's own shell would see it. What it made is shared when it ends. The exit\n" +
			"status is the command's, or 126 if it cannot be run, 127 if it was not found.",
		Example: verb.Example("codex swop run work -- codex login status", "codex swop run work -- bash"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && args[1] == "--" {
				args = slices.Delete(args, 1, 2)
			}
			if err := verb.Needs("LABEL", "COMMAND")(cmd, args); err != nil {
				return err
			}
			return verb.With(call.Open, runIn)(cmd, args)
		},
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return call.Complete(verb.Labels)(cmd, args, typed)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func runIn(s verb.Setup, args []string) error {
	acct, err := s.Store.Find(args[0])
	if err != nil {
		return err
	}
	command := args[1:]
	program, err := disk.OnPath(command[0], s.Env.Value("PATH"))
	if err != nil {
		say.Error(s.Stderr, err)
		if errors.Is(err, fs.ErrPermission) {
			return verb.Exited(126)
		}
		return verb.Exited(127)
	}
	ready, err := s.Ready(acct.Meta.Label)
	if err != nil {
		return err
	}
	err = accounts.RunIn(s, ready, program, command)
	if _, ended := errors.AsType[verb.Exited](err); err != nil && !ended {
		say.Error(s.Stderr, err)
		return verb.Exited(126)
	}
	return err
}
