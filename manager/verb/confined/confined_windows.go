package confined

import (
	"github.com/spf13/cobra"

	"swop/manager/verb"
	"swop/session"
)

// Windows has none of the verbs.
var (
	Confine   = notHere("confine", "Show how sessions are confined here, and whether they can be")
	Ask       = notHere("ask", "Ask the user for more than the confined session has")
	Approvals = notHere("approvals", "Show what confined sessions ask for, and what they were given")
	Allow     = notHere("allow", "Give a confined session what it asks for")
	Deny      = notHere("deny", "Refuse what a confined session asks for, or take it back")
	Bridge    = notHere("bridge", "Show the bridges: tokens that sessions use and cannot read")
	SSH       = notHere("ssh", "Run codex on another machine with a login that stays here")
	Host      = notHere("host", "Run a command of [bridge.commands] outside of the session")
	Sandbox   = notHere("sandbox", "Run a command inside codex's own sandbox, under an account")
)

// notHere makes a verb that says where it works.
func notHere(name, short string) func(*verb.Call) *cobra.Command {
	return func(*verb.Call) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short + " (not on Windows)", DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return session.NotHere("codex swop " + name) },
		}
	}
}
