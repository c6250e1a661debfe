//go:build unix && !linux

package session

import (
	"errors"

	"swop/config"
	"swop/say"
	"swop/shim"
	"swop/shim/confine"
)

// confine refuses: see docs/confinement.md.
func (r *reader) confine(s *Supervised) (end func() error, err error) {
	err = &confine.Unavailable{Backend: "this system", Reason: "only Linux is supported yet"}
	policy := confine.New(s.Prepared.Policy, s.Settings.ConfinementOf(s.Prepared.Key), s.Invocation.Home)
	if policy.Fallback == config.FallbackPassthrough {
		say.Line(r.call.Stderr, "running UNCONFINED, as fallback = %q says: %v", config.FallbackPassthrough, err)
		return func() error { return nil }, nil
	}
	return nil, say.WithHint(err, "run it once without: "+shim.PolicyVariable+"="+config.ConfineOff+" codex")
}

func startConfined(*confine.Session, string, string, []string, config.Env) (Child, error) {
	return Child{}, errors.ErrUnsupported
}

// RunInside is the helper of Linux.
func RunInside([]string, config.Env) int { return 125 }

// runNested knows no confined session.
func runNested(shim.Call) (status int, nested bool) { return 0, false }

// CheckConfinement says that no session can be confined here.
func CheckConfinement(shim.Invocation, shim.Program, config.Settings) (string, error) {
	return "", &confine.Unavailable{Backend: "this system", Reason: "only Linux is supported yet"}
}
