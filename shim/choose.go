package shim

import (
	"cmp"
	"path/filepath"

	"swop/config"
	"swop/internal/disk"
	"swop/internal/limits/pool"
)

// Why names the setting that chose the account, or no account.
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
	// Pool is the key of the pool that gives the account, "" where an account was named. Until an account is taken, Label is "".
	Pool   string
	Picked pool.Decision
}

// IsNone reports whether the call runs without an account.
func (c *Choice) IsNone() bool { return c.Label == "" && c.Pool == "" }

// fromSelector chooses by the selector. It asks for the working directory only where directories are bound.
func (c *Choice) fromSelector(s *config.Selector, i *Invocation) error {
	if len(s.Directory) > 0 {
		if b, err := i.binding(s); b.Path != "" || err != nil {
			c.Label, c.Why, c.Path = b.Account, ByBinding, b.Path
			return err
		}
	}
	c.Label, c.Why = s.Account, BySelector
	if s.Account == "" {
		c.Why = ByNothing
	}
	return nil
}

// binding returns the binding of the directory that codex will work in. The path with links resolved decides, unless the path that is
// shown, or a link on the way there, is bound to a confined account: a session can put a link into a directory that is bound to it.
func (i *Invocation) binding(s *config.Selector) (config.Binding, error) {
	dir, err := i.WorkDir()
	if err != nil {
		return config.Binding{}, err
	}
	b, shown := s.For(dir), i.Shown(dir)
	links, to := disk.Links(shown)
	for _, path := range append(links, to, shown) {
		also := s.For(path)
		for _, of := range []config.Binding{b, also} {
			if of.Path == "" || also.Path == "" || also.Path == b.Path {
				continue
			}
			if confined, err := i.Confined(of.Account); confined || err != nil {
				return of, err
			}
		}
	}
	return b, nil
}

// Shown returns dir, a path without links, as the arguments or the shell name it.
func (i *Invocation) Shown(dir string) string {
	named := cmp.Or(i.Dir, i.Env.Value("PWD"))
	// PWD may be stale, but not where package codexsandbox says it, with a dot at its end. Where it cannot be looked at, it counts.
	if _, to := disk.Links(named); i.Dir != "" || filepath.IsAbs(named) && (to == dir || to == "" || filepath.Base(named) == ".") {
		return filepath.Clean(named)
	}
	return dir
}
