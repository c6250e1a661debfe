package confined

import "swop/manager/verb"

// Windows has none of the verbs.
var (
	Confine   = verb.NotHere("confine", "Show how sessions are confined here, and whether they can be")
	Ask       = verb.NotHere("ask", "Ask the user for more than the confined session has")
	Approvals = verb.NotHere("approvals", "Show what confined sessions ask for, and what they were given")
	Allow     = verb.NotHere("allow", "Give a confined session what it asks for")
	Deny      = verb.NotHere("deny", "Refuse what a confined session asks for, or take it back")
	Bridge    = verb.NotHere("bridge", "Show the bridges: tokens that sessions use and cannot read")
	SSH       = verb.NotHere("ssh", "Run codex on another machine with a login that stays here")
	Host      = verb.NotHere("host", "Run a command of [bridge.commands] outside of the session")
	Sandbox   = verb.NotHere("sandbox", "Run a command inside codex's own sandbox, under an account")
)
