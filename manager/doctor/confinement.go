package doctor

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/config/file"
	"swop/confine/preflight"
	"swop/session"
)

// checkConfinement examines whether sessions can be confined, where any are to be.
func checkConfinement(x *exam) []Finding {
	confined := x.confined()
	if len(confined) == 0 {
		return nil
	}
	backend, err := session.CheckConfinement(x.Places)
	if err != nil {
		hint := `docs/confinement.md says what is needed; or confine = "off" in config.toml`
		if unavailable, ok := errors.AsType[*preflight.Unavailable](err); ok && unavailable.Command != "" {
			hint = unavailable.Command
		}
		return problem(hint, "%v, but that is asked for: %s", err, strings.Join(confined, ", "))
	}
	return fine("%s makes sandboxes; confined: %s", backend, strings.Join(confined, ", "))
}

// confined lists what is to run confined, each with its policy: accounts, and bound directories that say so themselves.
func (x *exam) confined() (list []string) {
	for _, acct := range x.accounts {
		if policy, err := x.Policy("", &x.Settings, acct.Key); err == nil && policy != "" {
			list = append(list, fmt.Sprintf("%s (%s)", acct.Key, policy))
		}
	}
	selector, _ := file.ReadSelector(x.Places) // checkChoice reports what is wrong with it
	for _, b := range selector.Directory {
		if b.Confine != "" && b.Confine != config.ConfineOff {
			list = append(list, fmt.Sprintf("%s (%s)", filepath.Clean(b.Path), b.Confine))
		}
	}
	return list
}
