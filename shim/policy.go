package shim

import (
	"fmt"
	"slices"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/say"
)

// PolicyVariable chooses a stricter policy of confinement for one call.
const PolicyVariable = "SWOP_CONFINE"

// asked returns the policy that [PolicyVariable] names, "" for none.
func (i *Invocation) asked() (string, error) {
	policy := i.Env.Value(PolicyVariable)
	if policy == "" || slices.Contains(config.Policies(), policy) {
		return policy, nil
	}
	err := fmt.Errorf("%s is %q, which is not a policy", PolicyVariable, policy)
	return "", say.WithHint(err, "use one of "+strings.Join(config.Policies(), ", ")+": export "+PolicyVariable+"="+config.ConfineWorkspace)
}

// Policy returns the policy that confines a session of the account, "" for none: the one in meta.json, or a stricter one of config.toml or
// [PolicyVariable]. It fails where one of these is wider, or the account is not confined.
func (i *Invocation) Policy(s *config.Settings, meta *account.Meta) (string, error) {
	asked, err := i.asked()
	if err != nil {
		return "", err
	}
	own, policy, label := s.Accounts[meta.Key].Confine, meta.Confine, say.ShellQuote(meta.Label)
	for _, set := range []struct{ policy, said, hint string }{
		{own, fmt.Sprintf("[accounts.%s] in config.toml says confine = %q", meta.Key, own), "codex swop confine " + label + " " + own},
		{asked, fmt.Sprintf("%s is %q", PolicyVariable, asked), "unset " + PolicyVariable},
	} {
		switch {
		case set.policy == "":
		case meta.Confine == "" && set.policy != config.ConfineOff:
			err := fmt.Errorf("%s, but the account %q is not confined", set.said, meta.Label)
			err = say.WithHint(err, "codex swop add "+label+"-confined --confine "+set.policy)
			return "", say.WithHint(err, "or: codex swop confine "+label+" "+set.policy)
		case meta.Confine != "" && config.Stricter(meta.Confine, set.policy):
			err := fmt.Errorf("%s, which allows more than the account %q: %s", set.said, meta.Label, meta.Confine)
			return "", say.WithHint(err, set.hint)
		case set.policy != config.ConfineOff && config.Stricter(set.policy, policy):
			policy = set.policy
		}
	}
	return policy, nil
}
