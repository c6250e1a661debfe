//go:build unix

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"swop/manager/verb"
)

// completeFlags completes the values of the command's flags.
func completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() != "bool" {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, verb.CompleteValue(f.Name)) // the flag exists, and has no completion yet
		}
	})
}

func completeVerb(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list []cobra.Completion
	for _, c := range cmd.Root().Commands() {
		if c.IsAvailableCommand() {
			list = append(list, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return list, verb.NoFiles
}
