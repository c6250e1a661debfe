// Package confined has the verbs of confined sessions. Windows has none of them.
package confined

import (
	"github.com/spf13/cobra"

	"swop/confine/desk"
	"swop/manager/verb"
	"swop/session"
)

// GitWrite says what git = "write" means.
const GitWrite = "sessions can write .git"

func Confine(*verb.Call) *cobra.Command {
	return notHere("confine", "Show how sessions are confined here, and whether they can be")
}

func Ask(*verb.Call) *cobra.Command {
	return notHere("ask", "Ask the user for more than the confined session has")
}

func Approvals(*verb.Call) *cobra.Command {
	return notHere("approvals", "Show what confined sessions ask for, and what they were given")
}

func Allow(*verb.Call) *cobra.Command {
	return notHere("allow", "Give a confined session what it asks for")
}

func Deny(*verb.Call) *cobra.Command {
	return notHere("deny", "Refuse what a confined session asks for, or take it back")
}

func Bridge(*verb.Call) *cobra.Command {
	return notHere("bridge", "Show the bridges: tokens that sessions use and cannot read")
}

func SSH(*verb.Call) *cobra.Command {
	return notHere("ssh", "Run codex on another machine with a login that stays here")
}

func Host(*verb.Call) *cobra.Command {
	return notHere("host", "Run a command of [bridge.commands] outside of the session")
}

func Sandbox(*verb.Call) *cobra.Command {
	return notHere("sandbox", "Run a command inside codex's own sandbox, under an account")
}

// GrantsTo returns nothing: no session is confined.
func GrantsTo(root, key string) []desk.Question { return nil }

// notHere returns a verb that says where it works.
func notHere(name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short + " (not on Windows)", DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return session.NotHere("codex swop " + name) },
	}
}
