//go:build unix

package confined

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"swop/confine"
	"swop/confine/desk"
	"swop/disk"
	"swop/manager/verb"
	"swop/say"
)

// asked are the flags of what can be asked for.
var asked = []struct{ kind, usage string }{
	{desk.KindWrite, "ask to write `PATH`, and all below it"},
	{desk.KindRead, "ask to read `PATH`, which is hidden"},
	{desk.KindConnect, "ask to reach `HOST` or HOST:PORT"},
	{desk.KindBridge, "ask that the bridge `NAME` allows RULE, as config.toml has them"},
}

func Ask(call *verb.Call) *cobra.Command {
	var reason string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "ask --write|--read|--connect|--bridge WHAT [-- COMMAND…]",
		Short: "Ask the user for more than the confined session has",
		Long: "Ask the user, from inside of a confined session, for one thing that it does not have: to write a path, to read one that is hidden,\n" +
			"to reach a host, or to send a request through a bridge. It waits for the answer. If that is yes, COMMAND runs, and its exit status is\n" +
			"the one here; without a command it is 0. If it is no, the answer is printed as JSON, and the exit status is 4.",
		Example: verb.Example(
			"codex swop ask --write ~/data --reason 'the report goes there' -- make report",
			"codex swop ask --read ~/.aws", "codex swop ask --connect docs.example.com:443", "codex swop ask --bridge github 'repo:acme/other'",
		),
		RunE: func(cmd *cobra.Command, args []string) error {
			ask, err := askOf(cmd, args)
			if err == nil && timeout <= 0 {
				err = verb.WrongUsage(cmd, "--timeout must be more than 0")
			}
			if err != nil {
				return err
			}
			ask.Reason, ask.Timeout = reason, timeout.Seconds()
			return askAndRun(call, ask)
		},
	}
	for _, of := range asked {
		cmd.Flags().String(of.kind, "", of.usage)
	}
	cmd.Flags().StringVar(&reason, "reason", "", "tell the user `TEXT`")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "wait this `TIME` for the answer")
	return cmd
}

// askOf returns what is asked for, with what is behind -- as the command.
func askOf(cmd *cobra.Command, args []string) (ask desk.Ask, err error) {
	words, dash := args, cmd.ArgsLenAtDash()
	if dash >= 0 {
		words, ask.Command = args[:dash], args[dash:]
	}
	said := 0
	for _, of := range asked {
		if target := cmd.Flag(of.kind).Value.String(); target != "" {
			ask.Kind, ask.Target = of.kind, target
			said++
		}
	}
	switch {
	case said != 1:
		return ask, verb.WrongUsage(cmd, "name one of --write, --read, --connect, --bridge")
	case ask.Kind == desk.KindBridge && len(words) == 1:
		ask.Rule = words[0]
	case ask.Kind == desk.KindBridge && len(words) == 0:
		return ask, verb.WrongUsage(cmd, "missing RULE")
	case len(words) > 0:
		return ask, verb.WrongUsage(cmd, "unexpected argument %q: put the command after --", words[len(words)-1])
	}
	return ask, nil
}

func askAndRun(call *verb.Call, ask desk.Ask) error {
	if _, err := confine.ReadInside(); err != nil {
		return say.WithHint(errors.New("this session is not confined: it has nothing to ask for"), "codex swop confine")
	}
	if (ask.Kind == desk.KindWrite || ask.Kind == desk.KindRead) && !filepath.IsAbs(ask.Target) {
		dir, err := verb.Directory(nil)
		if err != nil {
			return err
		}
		ask.Target = dir + "/" + ask.Target // not cleaned: .. behind a link is what the kernel makes of it
	}
	v, release, err := desk.AskFor(ask)
	if err != nil {
		return err
	}
	defer release()
	if v.Verdict != desk.Granted {
		if err := verb.WriteJSON(call.Stdout, v); err != nil {
			return err
		}
		return verb.Exited(verb.StatusRefused)
	}
	if len(ask.Command) == 0 {
		return nil
	}
	program, err := disk.OnPath(ask.Command[0], call.Environ.Value("PATH"))
	if err != nil {
		say.Error(call.Stderr, err)
		return verb.Exited(127)
	}
	return call.RunProgram(program, ask.Command, call.Environ)
}
