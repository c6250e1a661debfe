package main

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"swop/config"
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

// unknownVerb returns the error for a call of a verb that does not exist, with the one for which it is another word, or those that may be
// meant. The label that follows is kept.
func unknownVerb(root *cobra.Command, args []string) error {
	typed, given := args[0], ""
	if i := slices.IndexFunc(args[1:], func(arg string) bool { return !strings.HasPrefix(arg, "-") }); i >= 0 {
		given = args[1+i]
	}
	err := error(verb.Usagef("unknown command %q", typed))
	switch typed {
	case "import":
		err = say.WithHint(err, "did you mean: codex swop add LABEL --import FILE")
	case "update", "upgrade":
		err = say.WithHint(say.WithHint(err, "to update codex: codex update"), "to update swop, in its clone: git pull && ./install.sh")
	}
	for _, cmd := range root.Commands() {
		if typed != "" && slices.Contains(root.SuggestionsFor(typed), cmd.Name()) || store.IsSlip(typed, cmd.Name()) { // all names begin with ""
			err = say.WithHint(err, "did you mean: codex swop "+cmd.Name()+keptLabel(cmd, given))
		}
	}
	return say.WithHint(err, "codex swop help")
}

// keptLabel returns the label, after a space, if the verb takes one.
func keptLabel(cmd *cobra.Command, label string) string {
	if _, err := config.Key(label); err != nil || !strings.Contains(cmd.Use, "LABEL") {
		return ""
	}
	return " " + say.ShellQuote(label)
}

// setHelp gives root and its verbs our help.
func setHelp(root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages", "FlagUsagesWrapped 80"))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd)) // an error comes back when that is flushed
	})
}

// helpText returns cobra's usage text below what the command is for.
func helpText(cmd *cobra.Command) string {
	about := strings.Fields(cmp.Or(cmd.Long, cmd.Short+"."))
	lines := say.Fold(strings.Join(about, " "), 80, 0) // long lines are hard to read, also on a wider terminal
	return strings.Join(lines, "\n") + "\n\n" + strings.TrimSpace(cmd.UsageString()) + "\n"
}
