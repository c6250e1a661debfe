package doctor

import (
	"errors"
	"fmt"
	"strings"

	"swop/internal/confine"
)

// checkConfinement says whether this system can confine sessions, if an account is confined.
func checkConfinement(x *exam) {
	var list []string // the accounts that are confined, each with its policy
	for _, acct := range x.accounts {
		if acct.Meta.Confine != "" {
			list = append(list, fmt.Sprintf("%s (%s)", acct.Key, acct.Meta.Confine))
		}
	}
	confined := strings.Join(list, ", ")
	if confined == "" {
		return
	}
	err := confine.Check()
	if err == nil {
		x.fine("confined: %s", confined)
		return
	}
	hint := `docs/confinement.md says what is needed`
	if unavailable, ok := errors.AsType[*confine.Unavailable](err); ok && unavailable.Command != "" {
		hint = unavailable.Command
	}
	x.problem(hint, "%v, but these accounts are confined: %s", err, confined)
}
