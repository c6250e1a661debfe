package shim

import (
	"swop/config"
	"swop/internal/limits/pool"
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
}

// setPool puts the pool in the place of a label that names one.
func (c *Choice) setPool() {
	if key, ok := config.PoolOf(c.Label); ok {
		c.Label, c.Pool = "", key
	}
}

// IsNone reports whether the call runs without an account.
func (c *Choice) IsNone() bool { return c.Label == "" && c.Pool == "" }

// fromSelector chooses what the selector says; dir returns the working directory with links resolved and is called only where it matters.
func (c *Choice) fromSelector(s *config.Selector, dir func() (string, error)) error {
	if len(s.Directory) > 0 {
		wd, err := dir()
		if err != nil {
			return err
		}
		if b := s.For(wd); b.Path != "" {
			c.Label, c.Why, c.Path = b.Account, ByBinding, b.Path
			return nil
		}
	}
	c.Label, c.Why = s.Account, BySelector
	if s.Account == "" {
		c.Why = ByNothing
	}
	return nil
}
