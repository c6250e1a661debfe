package confined

import "swop/manager/verb"

// The verbs, which Windows does not have.
var (
	Confine = verb.NotHere("confine", "Show how sessions are confined here, and whether they can be")
	Ask     = verb.NotHere("ask", "Ask the user for more than the confined session has")
	Allow   = verb.NotHere("allow", "List what confined sessions ask for, or allow it")
	Deny    = verb.NotHere("deny", "Refuse what a confined session asks for, or take it back")
	Bridge  = verb.NotHere("bridge", "Show the bridges: tokens that sessions use and cannot read")
	Sandbox = verb.NotHere("sandbox", "Run a command inside codex's own sandbox, under an account")
)

// RunHostCommand reports false: Windows has no host commands.
func RunHostCommand(*verb.Call, string) (is bool, err error) { return false, nil }
