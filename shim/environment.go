package shim

import (
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/account"
)

// Prepared is an account whose sandbox is complete.
type Prepared struct {
	account.Account
	Root     account.Root
	Settings config.Settings
	Lock     account.Lock // a session's
	Policy   string       // the policy that confines the session, "" for none
}

// Environment returns the environment of the account's session: the caller's, in its order, with exactly one each of HOME, CODEX_HOME,
// CODEX_SQLITE_HOME (unless the state is private), SWOP_ACCOUNT and SWOP_OUTER.
func (i Invocation) Environment(p Prepared) config.Env {
	env := i.Env.Without(p.Settings.TokenVariables()...)
	if isolation, _ := p.Settings.For(p.Key); isolation == config.IsolateHome {
		env = env.With("HOME", p.Home())
	}
	env = env.With("CODEX_HOME", p.CodexHome())
	switch {
	case p.Meta.State == account.StatePrivate:
		env = env.Without("CODEX_SQLITE_HOME") // its databases are its own, wherever the caller's are
	case env.Value("CODEX_SQLITE_HOME") == "":
		env = env.With("CODEX_SQLITE_HOME", p.Root.SharedHome.Path)
	}
	return env.With("SWOP_ACCOUNT", p.Key).With(OuterVariable, i.OuterValue())
}

// Caller is who calls codex: the environment as it is outside of any session, and the session that the call is made in.
type Caller struct {
	Env     config.Env       // without the variables that a session set
	Session *account.Session // nil outside of sessions
	// Account is the account that the caller asked for in SWOP_ACCOUNT, "" where only the session set it.
	Account string
}

// OuterVariable carries the values that a session's variables have outside of the session.
const OuterVariable = "SWOP_OUTER"

// SessionVariables are the variables that a session sets and that have a value outside, too.
var SessionVariables = []string{"HOME", "CODEX_HOME", "CODEX_SQLITE_HOME", "SWOP_ACCOUNT"}

// OuterValue returns the value of SWOP_OUTER in a session of this caller: "NAME=value" for each variable that is set, quoted as in Go, so
// that no byte is lost.
func (c Caller) OuterValue() string {
	var parts []string
	for _, name := range SessionVariables {
		if value, ok := c.Env.Lookup(name); ok {
			parts = append(parts, strconv.Quote(name+"="+value))
		}
	}
	return strings.Join(parts, " ")
}
