//go:build unix

package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"swop/config"
	"swop/say"
	"swop/shim"
	"swop/shim/codexsandbox"
)

// sandboxFlags are the flags of the verb.
type sandboxFlags struct {
	account, platform string
	json              bool
	request           codexsandbox.Request
}

func (a *app) sandboxCommand() *cobra.Command {
	var f sandboxFlags
	cmd := &cobra.Command{
		Use:   "sandbox [FLAGS] -- COMMAND…",
		Short: "Run a command inside codex's own sandbox, under an account",
		Long: "Run a command inside codex's own sandbox, under an account: the one that codex would run as here, if none is named.\n" +
			"The flags are the same whatever the release of codex. The command may read, but not write, and has no network;\n" +
			"with --full-auto it may write its working directory and the temporary ones.\n" +
			"The command's exit status is the answer, 124 after --timeout; with --json too.",
		Example: example(
			"codex swop sandbox --account work --full-auto -- go test ./...",
			"codex swop sandbox --timeout 1m --json -- ls -l",
		),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := refuseSessionFlags(cmd); err != nil {
				return err
			}
			f.request.Command = args
			err := a.sandbox(cmd.Flags().Changed("account"), f)
			if bad := (*codexsandbox.RequestError)(nil); errors.As(err, &bad) {
				err = say.WithHint(usageError{err}, cmd.CommandPath()+" --help")
			}
			return err
		},
	}
	flags, r := cmd.Flags(), &f.request
	flags.SetInterspersed(false)
	flags.StringVar(&f.account, "account", "", "the account called `LABEL`")
	flags.StringVar(&f.platform, "platform", "", "the sandbox of `PLATFORM`: macos (seatbelt), linux (landlock) or windows; default: this system's")
	flags.BoolVar(&r.FullAuto, "full-auto", false, "the working directory and the temporary ones can be written")
	flags.BoolVar(&r.LogDenials, "log-denials", false, "report what was denied, on macOS")
	flags.StringArrayVarP(&r.ConfigOverrides, "config", "c", nil, "override a setting of codex's config.toml: `KEY=VALUE`")
	flags.StringArrayVar(&r.Enable, "enable", nil, "enable codex's feature `FEATURE`")
	flags.StringArrayVar(&r.Disable, "disable", nil, "disable codex's feature `FEATURE`")
	flags.StringVarP(&r.WorkingDir, "cd", "C", "", "run the command in `DIR`")
	flags.DurationVar(&r.Timeout, "timeout", 0, "end the command after `TIME`, such as 90s or 5m")
	flags.BoolVar(&f.json, "json", false, "capture the output and print JSON")
	hideSessionFlags(cmd)
	return cmd
}

// sandbox runs the command: in swop's place where nothing has to be done after it.
func (a *app) sandbox(named bool, f sandboxFlags) error {
	client, err := a.sandboxClient(named, f.account)
	if err != nil {
		return err
	}
	if f.request.Platform, err = codexsandbox.ParsePlatform(f.platform); err != nil {
		return err
	}
	if f.json {
		return a.sandboxJSON(client, f.request)
	}
	call, err := client.Prepare(context.Background(), f.request)
	if err != nil {
		return err
	}
	if f.request.Timeout == 0 {
		return errors.Join(call.Exec(), call.Close())
	}
	return a.sandboxAttached(call)
}

// sandboxClient is bound to the account with the label if one is named, else to that as which codex would run here.
func (a *app) sandboxClient(named bool, label string) (*codexsandbox.Client, error) {
	s, err := a.open()
	if err != nil {
		return nil, err
	}
	if named {
		_, err = config.Key(label)
	} else {
		var choice shim.Choice
		choice, err = a.choose(s)
		label = choice.Label
	}
	return &codexsandbox.Client{
		Account: label, Env: a.env, Now: a.now, Log: a.stderr, Shim: filepath.Join(filepath.Dir(a.executable), "codex"),
	}, err
}

// sessionFlags are codex's flags for a session with the model, each with the reason why the sandbox refuses it.
var sessionFlags = []struct{ name, short, reason string }{
	{"profile", "p", "a profile is for sessions with the model; name the settings themselves with --config"},
	{"ask-for-approval", "a", "a sandboxed command asks nobody for approval"},
	{"search", "", "no model runs that could search"},
	{"model", "m", "no model is there"},
	{"oss", "", "no model is there"},
	{"image", "i", "no model is there to look at it"},
	{"sandbox", "s", "the sandbox is read-only, or --full-auto"},
	{"permission-profile", "P", "the sandbox is read-only, or --full-auto"},
	{"permissions-profile", "", "the sandbox is read-only, or --full-auto"},
	{"add-dir", "", "the sandbox is read-only, or --full-auto"},
	{"dangerously-bypass-approvals-and-sandbox", "", "a command without the sandbox needs no codex"},
	{"yolo", "", "a command without the sandbox needs no codex"},
}

// hideSessionFlags makes those flags known, so that they can be refused by name. Their value, where they have one, is optional.
func hideSessionFlags(cmd *cobra.Command) {
	for _, f := range sessionFlags {
		cmd.Flags().StringP(f.name, f.short, "", f.reason)
		flag := cmd.Flags().Lookup(f.name)
		flag.NoOptDefVal, flag.Hidden = "true", true
	}
}

func refuseSessionFlags(cmd *cobra.Command) error {
	for _, f := range sessionFlags {
		if cmd.Flags().Changed(f.name) {
			err := usage("--%s is not for the sandbox: %s", f.name, f.reason)
			return say.WithHint(err, cmd.CommandPath()+" --help")
		}
	}
	return nil
}

// timedOut is the status of timeout(1).
const timedOut = 124

// sandboxStatus is the exit status of the verb.
func sandboxStatus(run codexsandbox.Run) error {
	switch {
	case run.Stopped == codexsandbox.TimedOut:
		return exited(timedOut)
	case run.Status != 0:
		return exited(run.Status)
	}
	return nil
}
