package shim

import (
	"swop/config"
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
	// Confine is the policy of confinement of the bound directory, "" for the account's.
	Confine string
	// Bridges are the names of the bridges of the bound directory; empty for all of the account's.
	Bridges []string
}

// chooseSelected asks the selector; dir returns the working directory with links resolved and is called only where it matters.
func chooseSelected(s config.Selector, dir func() (string, error)) (Choice, error) {
	if len(s.Directory) > 0 {
		wd, err := dir()
		if err != nil {
			return Choice{}, err
		}
		if b := s.For(wd); b.Path != "" {
			return Choice{b.Account, ByBinding, b.Path, b.Confine, b.Bridges}, nil
		}
	}
	if s.Account != "" {
		return Choice{Label: s.Account, Why: BySelector}, nil
	}
	return Choice{Why: ByNothing}, nil
}
