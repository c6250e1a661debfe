package shim

import (
	"swop/config"
	"swop/manager/pool"
)

// Why says what chose the account, or chose none.
type Why string

// The ways an account is chosen, in the order in which they are asked.
const (
	ByBypass   Why = "SWOP_BYPASS"
	ByOwnHome  Why = "CODEX_HOME"
	ByVariable Why = "SWOP_ACCOUNT"
	BySession  Why = "session"
	ByBinding  Why = "directory"
	BySelector Why = "selector"
	ByNothing  Why = "nothing"
)

// Choice is the account that a call runs as.
type Choice struct {
	Label string // "" for none: the real codex runs as if we were not there
	Why   Why
	Path  string // the bound directory, for ByBinding
	// Pool is the key of the pool that the account was taken from, "" where an account was named. Until it is taken, Label is "".
	Pool   string
	Picked pool.Decision
	// Confine is the policy of confinement of the bound directory, "" for the account's.
	Confine string
	// Bridges are the names of the bridges of the bound directory; empty for all of the account's.
	Bridges []string
}

// pooled returns the choice with the pool that it names in the place of the label, if it names one.
func (c Choice) pooled() Choice {
	if key, ok := config.PoolOf(c.Label); ok {
		c.Label, c.Pool = "", key
	}
	return c
}

// IsNone reports whether the call runs without an account.
func (c Choice) IsNone() bool { return c.Label == "" && c.Pool == "" }

// chooseSelected asks the selector; dir returns the working directory with links resolved and is called only where it matters.
func chooseSelected(s config.Selector, dir func() (string, error)) (Choice, error) {
	if len(s.Directory) > 0 {
		wd, err := dir()
		if err != nil {
			return Choice{}, err
		}
		if b := s.For(wd); b.Path != "" {
			return Choice{Label: b.Account, Why: ByBinding, Path: b.Path, Confine: b.Confine, Bridges: b.Bridges}, nil
		}
	}
	if s.Account != "" {
		return Choice{Label: s.Account, Why: BySelector}, nil
	}
	return Choice{Why: ByNothing}, nil
}
