package main

import (
	"strings"

	"github.com/spf13/cobra"

	"swop/manager/verb"
	"swop/manager/verb/swop"
)

// root returns the command tree, as much of it as the call needs.
func root(call *verb.Call) *cobra.Command {
	if len(call.Args) == 1 && (call.Args[0] == "--version" || call.Args[0] == "-V") {
		call.Args = []string{"version"}
	}
	cmd := &cobra.Command{
		Use:         "swop",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "codex swop"},
		Short:       "Run codex under several accounts",
		Long: "Run codex under several accounts, also at the same time. Each account has its own login; sessions, configuration, skills and " +
			"history are shared, in your ~/.codex.\n\n" +
			"The account is chosen by, in this order: SWOP_ACCOUNT, the session that codex is started in, the innermost bound directory, the " +
			"active account. Without any of these codex runs as if swop were not there.",
		Example: verb.Example(
			"codex swop add work              add the account \"work\", and log it in",
			"codex swop use work              plain codex runs as \"work\"",
			"codex swop bind personal ~/mine  but as \"personal\" below ~/mine",
			"SWOP_ACCOUNT=personal codex      and once as \"personal\" here",
		),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownVerb(cmd, args)
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	cmd.RunE = verb.With(call.Open, swop.Summary)
	call.JSONFlag(cmd)
	cmd.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return verb.RefuseEmpty(c) }
	cmd.SetArgs(call.Args)
	cmd.SetErr(call.Stderr)
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if c == cmd && !strings.HasPrefix(call.Args[0], "-") { // the verb of the flags does not exist
			return unknownVerb(cmd, call.Args)
		}
		return verb.WrongUsage(c, "%w", verb.PlainFlag(err))
	})
	cmd.CompletionOptions.DisableDefaultCmd = true
	addVerbs(call, cmd)
	setHelp(cmd)
	return cmd
}
