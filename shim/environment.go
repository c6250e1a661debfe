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
	Policy   string       // the policy of confinement that the session runs under, "" for none
	Created  bool         // by this call
}

// Environment returns the environment of the account's session: the caller's, in its order, with exactly one each of the variables
// that make it one.
func (i Invocation) Environment(p Prepared) config.Env {
	var set []config.Variable
	isolation, _ := p.Settings.For(p.Key)
	if isolation == config.IsolateHome {
		set = append(set, config.Variable{Name: "HOME", Value: p.Home()})
	}
	set = append(set, config.Variable{Name: "CODEX_HOME", Value: p.CodexHome()})
	switch {
	case p.Meta.State == account.StatePrivate:
		set = append(set, config.Variable{Name: "CODEX_SQLITE_HOME", Remove: true}) // its databases are its own, wherever the caller's are
	case i.Env.Value("CODEX_SQLITE_HOME") == "":
		set = append(set, config.Variable{Name: "CODEX_SQLITE_HOME", Value: p.Root.SharedHome.Path})
	}
	for _, name := range p.Settings.TokenVariables() {
		set = append(set, config.Variable{Name: name, Remove: true})
	}
	set = append(set, config.Variable{Name: "SWOP_ACCOUNT", Value: p.Key}, config.Variable{Name: OuterVariable, Value: i.OuterValue()})
	return i.Env.WithAll(set...)
}

// Caller is who calls codex: the environment as it is outside of any session, and the session that the call is made in.
type Caller struct {
	Env     config.Env       // without what a session set
	Session *account.Session // nil outside of sessions
	// Account is the account that the caller asked for in SWOP_ACCOUNT, "" where only the session set it.
	Account string
}

// OuterVariable carries what the variables of a session were outside of it.
const OuterVariable = "SWOP_OUTER"

// SessionVariables are what a session sets that has a value outside too.
var SessionVariables = []string{"HOME", "CODEX_HOME", "CODEX_SQLITE_HOME", "SWOP_ACCOUNT"}

// OuterValue returns what SWOP_OUTER is to be inside a session of this caller: NAME="value" for each variable that is set, quoted
// as Go does, which keeps every byte.
func (c Caller) OuterValue() string {
	var parts []string
	for _, name := range SessionVariables {
		if value, ok := c.Env.Lookup(name); ok {
			parts = append(parts, name+"="+strconv.Quote(value))
		}
	}
	return strings.Join(parts, " ")
}
