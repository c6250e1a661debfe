//go:build unix

package doctor

import (
	"fmt"
	"path/filepath"
	"strings"

	"swop/config"
	"swop/config/file"
	"swop/confine"
	"swop/session"
)

// checkConfinement examines whether sessions can be confined, where any are to be, and whether what is shared with unconfined ones is loose.
func checkConfinement(x *exam) []Finding {
	confined := x.confined()
	if len(confined) == 0 {
		return nil
	}
	real, err := x.codex()
	if err != nil {
		return nil // checkCodex reports it
	}
	backend, err := session.CheckConfinement(x.Invocation, real, x.Settings)
	if err != nil {
		return problem(`docs/confinement.md says what is needed; or confine = "off" in config.toml`, "%v, but that is asked for: %s", err, strings.Join(confined, ", "))
	}
	found := fine("%s makes sandboxes; confined: %s", backend, strings.Join(confined, ", "))
	for _, key := range x.keys() {
		c := x.Settings.ConfinementOf(key)
		if c.Fallback == config.FallbackPassthrough {
			found = append(found, warn(`fallback = "refuse"`, "sessions of %q run UNCONFINED where they cannot be confined", key)...)
		}
		for _, root := range confine.New(config.ConfineWorkspace, c, x.Home).Writable {
			if config.Within(x.Home, root) {
				found = append(found, problem("name a directory in it", "writable = [%q] gives the whole home, so sessions of %q are refused", root, key)...)
			}
		}
	}
	return found
}

func (x *exam) keys() (keys []string) {
	for _, acct := range x.accounts {
		keys = append(keys, acct.Key)
	}
	return keys
}

// confined lists what is to run confined, each with its policy: accounts, and bound directories that say so themselves.
func (x *exam) confined() (list []string) {
	for _, key := range x.keys() {
		if policy, err := x.Policy("", &x.Settings, key); err == nil && policy != "" {
			list = append(list, fmt.Sprintf("%s (%s)", key, policy))
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
