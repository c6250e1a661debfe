package main

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/internal/account/store"
	"swop/internal/say"
	"swop/manager/verb"
)

func helpCommand(call *verb.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "Explain a verb, or list them",
		Example: verb.Example("codex swop help", "codex swop help use"),
		Args:    verb.Takes(0, "VERB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Root().Help()
			}
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 || found == cmd.Root() {
				return unknownVerb(cmd.Root(), args)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// unknownVerb returns the error for a call of a verb that does not exist, with hints at the verbs that may be meant.
func unknownVerb(root *cobra.Command, args []string) error {
	typed := args[0]
	err := error(verb.Usagef("unknown command %q", typed))
	if typed == "update" || typed == "upgrade" {
		err = say.WithHint(say.WithHint(err, "to update codex: codex update"), "to update swop, in its clone: git pull && ./install.sh")
	}
	for _, cmd := range root.Commands() {
		if typed != "" && slices.Contains(root.SuggestionsFor(typed), cmd.Name()) || store.IsSlip(typed, cmd.Name()) { // all names begin with ""
			err = say.WithHint(err, "did you mean: codex swop "+cmd.Name())
		}
	}
	return say.WithHint(err, "codex swop help")
}

// setHelp sets the help of root and its verbs.
func setHelp(root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages", "FlagUsagesWrapped 80"))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd)) // an error comes back from the flush
	})
}

// helpText returns the purpose of the command, and cobra's usage text.
func helpText(cmd *cobra.Command) string {
	about := strings.Fields(cmp.Or(cmd.Long, cmd.Short+"."))
	lines := say.Fold(strings.Join(about, " "), 80, 0) // long lines are hard to read, also on a wider terminal
	return strings.Join(lines, "\n") + "\n\n" + strings.TrimSpace(cmd.UsageString()) + "\n"
}
