//go:build unix

package confined

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"swop/codexsandbox"
	"swop/config"
	"swop/manager/verb"
	"swop/shim"
)

// sandboxFlags are the flags of the verb.
type sandboxFlags struct {
	account string
	json    bool
	request codexsandbox.Request
}

func Sandbox(call *verb.Call) *cobra.Command {
	var f sandboxFlags
	cmd := &cobra.Command{
		Use:   "sandbox [flags] -- COMMAND…",
		Short: "Run a command inside codex's own sandbox, under an account",
		Long: "Run a command inside codex's own sandbox, under an account (default: the one that codex would run as here). The flags are the\n" +
			"same for every release of codex. The command has read-only access and no network, unless --full-auto is given.\n" +
			"The exit status is the command's, or 124 after --timeout; also with --json.",
		Example: verb.Example(
			"codex swop sandbox --account work --full-auto -- go test ./...",
			"codex swop sandbox --timeout 1m --json -- ls -l",
		),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.request.Command = args
			if _, err := config.Key(f.account); err != nil && cmd.Flags().Changed("account") {
				return err
			}
			err := sandbox(call, f)
			if _, bad := errors.AsType[*codexsandbox.RequestError](err); bad {
				err = verb.WrongUsage(cmd, "%w", err)
			}
			return err
		},
	}
	flags, r := cmd.Flags(), &f.request
	flags.SetInterspersed(false)
	flags.StringVar(&f.account, "account", "", "run under the account `LABEL`")
	flags.StringVar((*string)(&r.Platform), "platform", "", "use the sandbox of `PLATFORM`: macos (or seatbelt), linux (landlock) or windows")
	flags.BoolVar(&r.FullAuto, "full-auto", false, "let it write the working directory and temporary ones")
	flags.BoolVar(&r.LogDenials, "log-denials", false, "report what was denied (macOS)")
	flags.StringArrayVarP(&r.ConfigOverrides, "config", "c", nil, "override `KEY=VALUE` of codex's config.toml")
	flags.StringArrayVar(&r.Enable, "enable", nil, "enable codex's `FEATURE`")
	flags.StringArrayVar(&r.Disable, "disable", nil, "disable codex's `FEATURE`")
	flags.StringVarP(&r.WorkingDir, "cd", "C", "", "run the command in `DIR`")
	flags.DurationVar(&r.Timeout, "timeout", 0, "stop the command after `TIME`, such as 90s or 5m")
	flags.BoolVar(&f.json, "json", false, "capture the output and print JSON")
	return cmd
}

// sandbox runs the command: in swop's place, unless swop has to print JSON or to end the command.
func sandbox(call *verb.Call, f sandboxFlags) error {
	client, err := sandboxClient(call, f)
	if err != nil {
		return err
	}
	if f.json || f.request.Timeout != 0 {
		return sandboxRun(call, client, f)
	}
	command, err := client.Prepare(context.Background(), f.request)
	if err != nil {
		return err
	}
	return command.Exec()
}

// sandboxClient returns a client for the named account, or the one that codex would run as in the directory.
func sandboxClient(call *verb.Call, f sandboxFlags) (*codexsandbox.Client, error) {
	s, err := call.Open()
	label := f.account
	if err == nil && label == "" {
		s.SetDir([]string{"", "-C", f.request.WorkingDir})
		var choice shim.Choice
		choice, err = s.Here()
		label = choice.Label
	}
	return &codexsandbox.Client{Account: label, Env: call.Environ, Shim: call.Shim()}, err
}
