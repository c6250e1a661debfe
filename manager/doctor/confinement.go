package doctor

import (
	"errors"
	"fmt"
	"strings"

	"swop/internal/confine"
	"swop/internal/session"
)

// checkConfinement returns whether this system can confine sessions, if an account is confined.
func checkConfinement(x *exam) []Finding {
	confined := x.confined()
	if len(confined) == 0 {
		return nil
	}
	if err := session.CheckConfinement(); err != nil {
		hint := `docs/confinement.md says what is needed`
		if unavailable, ok := errors.AsType[*confine.Unavailable](err); ok && unavailable.Command != "" {
			hint = unavailable.Command
		}
		return problem(hint, "%v, but these accounts are confined: %s", err, strings.Join(confined, ", "))
	}
	return fine("confined: %s", strings.Join(confined, ", "))
}

// confined lists the accounts that are confined, each with its policy.
func (x *exam) confined() (list []string) {
	for _, acct := range x.accounts {
		if acct.Meta.Confine != "" {
			list = append(list, fmt.Sprintf("%s (%s)", acct.Key, acct.Meta.Confine))
		}
	}
	return list
}
