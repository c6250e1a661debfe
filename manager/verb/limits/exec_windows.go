package limits

import (
	"github.com/spf13/cobra"

	"swop/manager/verb"
	"swop/session"
)

// Exec is the verb that goes on at a limit, which Windows does not have.
func Exec(*verb.Call) *cobra.Command {
	return &cobra.Command{
		Use: "exec", Short: "Run codex exec, and go on at a limit (not on Windows)", DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return session.NotHere("codex swop exec") },
	}
}
