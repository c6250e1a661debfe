package session

import (
	"fmt"

	"swop/config"
	"swop/internal/bridge"
	"swop/internal/confine"
	"swop/internal/say"
	"swop/shim"
)

// runNested is a call of codex inside a confined session: it runs in the session's account and never wider, for nothing here can be. It
// reports false outside of one.
func runNested(c shim.Call) (status int, nested bool) {
	in, err := confine.ReadInside()
	if err != nil {
		return 0, false
	}
	if label := c.Env.Value("SWOP_ACCOUNT"); label != "" {
		if key, err := config.Key(label); err != nil || key != in.Key {
			err := fmt.Errorf("this session is confined to the account %q: another one (%q) cannot be used in it", in.Label, label)
			return c.Fail(say.WithHint(err, "run it outside of the session")), true
		}
	}
	env := c.Env.Without(shim.OuterVariable, shim.PolicyVariable).With("CODEX_HOME", in.CodexHome)
	c.Args = bridge.LeadCodex(c.Args, env)
	return c.Fail(c.PassOn(env, in.Key)), true
}
