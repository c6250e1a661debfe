package config

import (
	"cmp"
	"slices"
	"strings"
)

// AutoPool is the key of the pool that `auto` names: every account with a ChatGPT login, unless config.toml says otherwise. No account may
// be called so.
const AutoPool = "auto"

// The values of a pool's strategy.
const (
	drain   = "drain"   // the first account that has room
	Balance = "balance" // the account that is used least
	Soonest = "soonest" // the account whose longest window is reset first
)

// Pool is a set of accounts of which a start takes one.
type Pool struct {
	Accounts []string `toml:"accounts" is:"member"` // keys, the preferred first; empty for every account with a ChatGPT login, by label
	Strategy string   `toml:"strategy" is:"drain|balance|soonest"`
	Leave    int      `toml:"leave" is:"100"` // percent of a window, from which on an account is left

	Held []string // the keys of accounts that no pool takes, see [accountSettings]
}

// PoolOf returns the key of the pool that a choice names, as "auto" or "@acme" does. It reports false for the label of an account.
func PoolOf(choice string) (key string, ok bool) {
	name, at := strings.CutPrefix(choice, "@")
	key, err := Key(name)
	return key, err == nil && (at || key == AutoPool)
}

// PoolName returns the choice that names the pool with the key: [PoolOf] takes it.
func PoolName(key string) string {
	if key == AutoPool {
		return key
	}
	return "@" + key
}

// NewKey is [Key] for the label of a new account: it also refuses "auto", which names a pool, and "none".
func NewKey(label string) (string, error) {
	key, err := Key(label)
	switch key {
	case AutoPool:
		return "", &LabelError{label, "names the pool of all accounts"}
	case "none":
		return "", &LabelError{label, "stands for no account: SWOP_BYPASS=1 runs codex without one"}
	}
	return key, err
}

// Pool returns the pool with the key, and whether it exists. "auto" always does.
func (s *Settings) Pool(key string) (Pool, bool) {
	p, ok := s.Pools[key]
	for key, own := range s.Accounts {
		if own.Hold {
			p.Held = append(p.Held, key)
		}
	}
	p.Strategy, p.Leave = cmp.Or(p.Strategy, drain), cmp.Or(p.Leave, 95)
	return p, ok || key == AutoPool
}

// check refuses a pool without accounts, except for "auto".
func (p *Pool) check(v value) error {
	if _, auto := PoolOf(v.path[len(v.path)-1]); !auto && len(p.Accounts) == 0 {
		return v.fail("accounts is missing or empty")
	}
	for i, key := range p.Accounts {
		if slices.Contains(p.Accounts[:i], key) {
			return v.fail("accounts: %q is listed twice", key)
		}
	}
	return nil
}
