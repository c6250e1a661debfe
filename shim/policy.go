package shim

import (
	"fmt"
	"slices"
	"strings"

	"swop/config"
	"swop/say"
)

// PolicyVariable chooses the policy of confinement of one call.
const PolicyVariable = "SWOP_CONFINE"

// Policy returns the policy that confines a session of the account with this key, "" for none: the one of the call, else bound, that of the bound
// directory which chose the account, else the one of config.toml.
func (i *Invocation) Policy(bound string, s *config.Settings, key string) (string, error) {
	policy := i.Env.Value(PolicyVariable)
	switch {
	case policy != "" && !slices.Contains(config.Policies(), policy):
		err := fmt.Errorf("%s is %q, which is not a policy", PolicyVariable, policy)
		return "", say.WithHint(err, "use one of "+strings.Join(config.Policies(), ", ")+": export "+PolicyVariable+"="+config.ConfineWorkspace)
	case policy == "" && bound != "":
		policy = bound
	case policy == "":
		policy = s.Confined(key)
	}
	if policy == config.ConfineOff {
		policy = ""
	}
	return policy, nil
}
