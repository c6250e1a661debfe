//go:build unix

package shim

import (
	"strconv"
	"strings"

	"swop/config"
	"swop/manager/account"
)

// Caller is who calls codex: his environment as it is outside of any session, and the session that the call is made in.
type Caller struct {
	Env     config.Env       // without what a session set
	Session *account.Session // nil outside of sessions
	// Account is the account that the caller asks for himself in SWOP_ACCOUNT, "" where only the session set it.
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
