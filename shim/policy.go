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
	own, policy := s.Accounts[meta.Key].Confine, meta.Confine
	for _, set := range [][2]string{
		{own, fmt.Sprintf("[accounts.%s] in config.toml says confine = %q", meta.Key, own)},
		{asked, fmt.Sprintf("%s is %q", PolicyVariable, asked)},
	} {
		if set[0] == "" {
			continue
		}
		if err := mayConfine(meta, set[0], set[1]); err != nil {
			return "", err
		}
		if set[0] != config.ConfineOff && config.Stricter(set[0], policy) {
			policy = set[0]
		}
	}
	return policy, nil
}

// mayConfine refuses a policy that is wider than the account's, or for an account that is not confined. said names its source.
func mayConfine(meta *account.Meta, policy, said string) error {
	label := say.ShellQuote(meta.Label)
	switch {
	case meta.Confine == "" && policy != config.ConfineOff:
		err := fmt.Errorf("%s, but the account %q is not confined", said, meta.Label)
		return say.WithHint(say.WithHint(err, "codex swop add "+label+"-confined --confine "+policy), "or: codex swop confine "+label+" "+policy)
	case meta.Confine != "" && config.Stricter(meta.Confine, policy):
		err := fmt.Errorf("%s, which allows more than the account %q: %s", said, meta.Label, meta.Confine)
		if strings.HasPrefix(said, PolicyVariable) {
			return say.WithHint(err, "unset "+PolicyVariable)
		}
		return say.WithHint(err, "codex swop confine "+label+" "+policy)
	}
	return nil
}
