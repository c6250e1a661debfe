package config

import (
	"slices"
	"strings"
)

// AutoPool is the key of the pool that `auto` names: every account with a ChatGPT login, unless config.toml says otherwise. No account may
// be called so.
const AutoPool = "auto"

// The values of a pool's strategy.
const (
	Drain   = "drain"   // the first account that has room
	Balance = "balance" // the one that is used least
)

// DefaultLeave is the percentage of a window from which on an account is left.
const DefaultLeave = 95

// Pool is a set of accounts of which a start takes one.
type Pool struct {
	Accounts []string // keys, the preferred first; empty for every account with a ChatGPT login, by label
	Strategy string
	Leave    int // percent
}

// PoolOf returns the key of the pool that a choice of the user's names, as "auto" or "@acme" does, and whether it names one. Anything else
// names an account, or nothing.
func PoolOf(choice string) (key string, ok bool) {
	name, at := strings.CutPrefix(choice, "@")
	key, err := Key(name)
	return key, err == nil && (at || key == AutoPool)
}

// PoolName returns how the pool with the key is named where an account could be: [PoolOf] takes it.
func PoolName(key string) string {
	if key == AutoPool {
		return key
	}
	return "@" + key
}

// NewKey is [Key] for an account that is to get the label: the name of a pool, and that of no account, are refused.
func NewKey(label string) (string, error) {
	key, err := Key(label)
	if err == nil && key == AutoPool {
		return "", &LabelError{label, "names the pool of all accounts"}
	}
	if err == nil && key == "none" {
		return "", &LabelError{label, "stands for no account"}
	}
	return key, err
}

// Pool returns the pool with the key, and whether there is one. There always is "auto".
func (s *Settings) Pool(key string) (Pool, bool) {
	p, ok := s.Pools[key]
	if !ok && key == AutoPool {
		return defaultPool, true
	}
	return p, ok
}

var defaultPool = Pool{Strategy: Drain, Leave: DefaultLeave}

// pools reads the table [pool], of pools by name.
func (v value) pools() (map[string]Pool, error) {
	byKey := map[string]Pool{}
	err := v.each(func(name string, of value) error {
		key, err := of.key(name)
		if err != nil {
			return err
		}
		if _, ok := byKey[key]; ok {
			return of.fail("is the same pool as another")
		}
		p := defaultPool
		err = of.fields(
			field{"accounts", into(&p.Accounts, value.poolAccounts)},
			field{"leave", into(&p.Leave, wholeNumber(100, "a percentage from 1 to 100"))},
			field{"strategy", into(&p.Strategy, oneOf(Drain, Balance))},
		)
		if err == nil && len(p.Accounts) == 0 && key != AutoPool {
			err = of.fail("accounts is missing")
		}
		byKey[key] = p
		return err
	})
	return byKey, err
}

// poolAccounts reads the labels of a pool's accounts, and returns their keys.
func (v value) poolAccounts() ([]string, error) {
	var seen []string
	keys, err := listOf(func(of value) (string, error) {
		label, err := of.text()
		if err != nil {
			return "", err
		}
		if pool, ok := PoolOf(label); ok {
			return "", v.fail("%q is a pool, not an account", pool)
		}
		key, err := v.key(label)
		if err == nil && slices.Contains(seen, key) {
			err = v.fail("%q is listed twice", label)
		}
		seen = append(seen, key)
		return key, err
	})(v)
	if err == nil && len(keys) == 0 {
		err = v.fail("is empty; name an account, or remove the line")
	}
	return keys, err
}

// choice reads what chooses an account: a label, "auto" or "@POOL".
func (v value) choice() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	if _, ok := PoolOf(s); ok {
		return s, nil
	}
	return v.label()
}
