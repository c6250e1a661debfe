package verb

import (
	"github.com/spf13/cobra"

	"swop/internal/session"
)

// NotHere returns a verb that only says on which systems it works.
func NotHere(name, short string) func(*Call) *cobra.Command {
	return func(*Call) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short + " (not on Windows)", DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return session.NotHere("codex swop " + name) },
		}
	}
}
