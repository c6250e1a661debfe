package shim

import (
	"fmt"
	"path/filepath"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
)

// Invocation is what a call finds: who calls, where swop's files are, and what root.json says.
type Invocation struct {
	Caller
	config.Places
	// Root is root.json; its SharedHome.Path is "" until the root is made.
	Root account.Root
	// Dir is the directory that codex's arguments name as the one to work in, an absolute path; "" for the working directory.
	Dir string
	// Confined reports whether the account that a binding names is confined; nil on the fast path, which cannot tell.
	Confined func(label string) (bool, error)
	// Found says that the caller has seen the account that is to be prepared: if it is gone by then, it is not created again.
	Found bool
}

// SharedHome is the codex home that the accounts share: the recorded one, or the one in force where none is recorded yet.
func (i Invocation) SharedHome() string {
	if i.Root.SharedHome.Path != "" {
		return i.Root.SharedHome.Path
	}
	if home := i.Env.Value("CODEX_HOME"); home != "" {
		if abs, err := filepath.Abs(home); err == nil {
			return abs
		}
	}
	return filepath.Join(i.Home, ".codex")
}

// Choose returns the account that codex runs as here, or the pool that it is taken from; the selector is asked last. What it needs and
// cannot read is an error: another account than the one meant is never used.
func (i *Invocation) Choose() (c Choice, err error) {
	switch {
	case i.ownHome() && i.Account != "":
		err = fmt.Errorf("both SWOP_ACCOUNT (%q) and a CODEX_HOME of your own (%s) are set", i.Account, i.Env.Value("CODEX_HOME"))
		err = say.WithHint(err, "unset one of them")
	case i.ownHome():
		c.Why = ByOwnHome
	case i.Account != "":
		c.Label, c.Why = i.Account, ByVariable
	case i.Session != nil && (i.Session.Root == i.Places.Root || disk.SameFile(i.Session.Root, i.Places.Root)):
		c.Label, c.Why = i.Session.Key, BySession
	default:
		var selector config.Selector
		if selector, err = config.ReadSelector(i.Places); err == nil {
			err = c.fromSelector(&selector, i)
		}
	}
	if err != nil {
		return Choice{}, i.blame(err)
	}
	if key, ok := config.PoolOf(c.Label); ok {
		c.Label, c.Pool = "", key
	}
	return c, nil
}

// blame returns the refusal to work in another user's home where that is what makes the files there look foreign, else err.
func (i *Invocation) blame(err error) error {
	if owned := i.Owned(); owned != nil {
		return owned
	}
	return err
}

// ownHome reports whether the caller brought a codex home that is not ours to replace.
func (i *Invocation) ownHome() bool {
	home, shared := i.Env.Value("CODEX_HOME"), i.Root.SharedHome.Path
	return home != "" && shared != "" && home != shared && !disk.SameFile(home, shared)
}

// WorkDir returns the directory that codex will work in, with links resolved.
func (i *Invocation) WorkDir() (string, error) {
	if i.Dir != "" {
		return disk.Resolve(i.Dir), nil
	}
	dir, err := getwd()
	if err != nil {
		err = fmt.Errorf("cannot find the working directory, which selects the account: %w", err)
		return "", say.WithHint(err, "cd to a directory that exists")
	}
	return dir, nil
}

// PoolDir returns the directory that a pool remembers its choice for, "" where the working directory was removed.
func (i *Invocation) PoolDir() string {
	dir, _ := i.WorkDir() // nothing is remembered where it is not known
	return dir
}
