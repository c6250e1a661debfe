package choice

import (
	"io"

	"github.com/spf13/cobra"

	"swop/account"
	"swop/home/mirror"
	"swop/manager/verb"
	"swop/say"
)

func Env(call *verb.Call) *cobra.Command {
	var codexHome bool
	cmd := &cobra.Command{
		Use:               "env [LABEL]",
		Short:             "Print the export line that pins a shell to an account",
		Long:              "Print the export line that pins a shell to an account (default: the one that codex would run as here).",
		ValidArgsFunction: verb.CompleteWords(call.Complete(verb.Labels)),
		Example:           verb.Example(`eval "$(codex swop env work)"`, `eval "$(codex swop env work --codex-home)"`),
		Args:              verb.Takes(0, "LABEL"),
		RunE:              verb.With(call.Open, func(s verb.Setup, args []string) error { return printEnv(s, args, codexHome) }),
	}
	cmd.Flags().BoolVar(&codexHome, "codex-home", false, "export CODEX_HOME too, for tools that read it themselves")
	return cmd
}

func printEnv(s verb.Setup, args []string, codexHome bool) error {
	_, acct, err := s.AccountOr(args, "codex swop env LABEL")
	if err != nil {
		return err
	}
	text := "export SWOP_ACCOUNT=" + acct.Key + "\n"
	if codexHome {
		var l account.Lock
		if acct, l, err = s.Hold(acct.Meta.Label); err != nil {
			return err
		}
		defer l.Release()
		if err := s.Reconcile(acct, mirror.Options{}); err != nil {
			return err // with nothing printed: a shell would take half of it
		}
		text += "export CODEX_HOME=" + say.ShellQuote(acct.CodexHome()) + "\n"
	}
	_, err = io.WriteString(s.Stdout, text) // for a shell: every byte as it is
	return err
}
