package verb

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"swop/config"
	"swop/internal/limits/pool"
	"swop/internal/limits/usage"
	"swop/internal/say"
	"swop/shim"
)

// ExceptHere returns the end of a sentence where codex runs as something else here than the choice, "" elsewhere: a setting that comes
// before those in set decides, as a variable does.
func (s Setup) ExceptHere(choice string, set ...shim.Why) string {
	here, err := s.HereOrPool()
	if err != nil || slices.Contains(set, here.Why) {
		return ""
	}
	as := "without an account"
	if !here.IsNone() {
		name := cmp.Or(here.Label, config.PoolName(here.Pool))
		if key, err := config.Key(choice); name == choice || err == nil && config.HasKey(name, key) {
			return ""
		}
		as = "as " + ChoiceText(name)
	}
	return fmt.Sprintf("; but here %s, because %s", as, Because(here))
}

// ChoiceText returns the account or the pool that a choice names, for people.
func ChoiceText(choice string) string {
	if key, ok := config.PoolOf(choice); ok {
		return fmt.Sprintf("an account of the pool %q", key)
	}
	return strconv.Quote(choice)
}

// Here returns the account that codex would run as here; of a pool, the account that a start would take.
func (s Setup) Here() (shim.Choice, error) {
	choice, err := s.HereOrPool()
	if err != nil || choice.Pool == "" {
		return choice, err
	}
	if p, ok := s.Settings.Pool(choice.Pool); ok { // for a prompt, which asks each time
		if d, ok := pool.Fast(s.Store.Layout, p, s.PoolDir(), s.Now()); ok {
			acct, err := s.Store.Account(d.Key)
			choice.Label, choice.Picked = acct.Meta.Label, d
			return choice, err
		}
	}
	all, err := usage.Survey(s.Store, s.Now())
	if err != nil {
		return choice, err
	}
	if choice.Picked, err = all.Pick(s.Settings, choice.Pool, s.PoolDir()); err != nil {
		return choice, usage.WayBack(err, choice)
	}
	choice.Label = all.Find(choice.Picked.Key).Meta.Label
	return choice, nil
}

// HereOrPool returns the account that codex would run as here, or the pool that would give it.
func (s Setup) HereOrPool() (shim.Choice, error) {
	if s.Environ.Value("SWOP_BYPASS") == "1" {
		return shim.Choice{Why: shim.ByBypass}, nil
	}
	return s.Choose()
}

// Because returns the reason of a choice, for people.
func Because(c shim.Choice) string {
	it, active := "it", "it is the active account"
	if c.Pool != "" {
		it = fmt.Sprintf("the pool %q", c.Pool)
		active = it + " is active"
	}
	switch c.Why {
	case shim.ByBypass:
		return "SWOP_BYPASS is 1"
	case shim.ByOwnHome:
		return "CODEX_HOME names a home of your own"
	case shim.ByVariable:
		return "SWOP_ACCOUNT names " + it
	case shim.BySession:
		return "this is one of its sessions"
	case shim.ByBinding:
		return say.Name(c.Path) + " is bound to " + it
	case shim.BySelector:
		return active
	}
	return "none is active"
}
