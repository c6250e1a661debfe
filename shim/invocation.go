package shim

import (
	"cmp"
	"fmt"
	"path/filepath"

	"swop/config"
	"swop/internal/account"
	"swop/internal/disk"
	"swop/internal/say"
)

// Invocation is the surroundings of a call: who calls, where swop's files are, and root.json.
type Invocation struct {
	Caller
	config.Places
	// Root is root.json; its SharedHome.Path is "" until the root is made.
	Root account.Root
	// Dir is the directory that codex's arguments name as the one to work in, an absolute path, and leads its target; "" for none.
	Dir, leads string
	// Confined reports whether the account that a binding names is confined.
	Confined func(label string) (bool, error)
	// Found says that the caller has seen the account to be prepared: an account that was removed meanwhile is not created again.
	Found bool
}

// SharedHome returns the codex home that the accounts share: the one in root.json, or before the root is made the one in force here.
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

// Choose returns the account that codex runs as here, or the pool that gives the account; the selector is asked last. A file that it needs
// and cannot read is an error: swop never uses another account than the one meant.
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
		c.Label, c.Why, i.Found = i.Session.Key, BySession, true
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
	} else if c.Label != "" {
		_, err = config.NewKey(c.Label)
	}
	return c, err
}

// blame returns the refusal to work in another user's home if HOME is one, which makes the files there look foreign, else err.
func (i *Invocation) blame(err error) error {
	if owned := i.Owned(); owned != nil {
		return owned
	}
	return err
}

// ownHome reports whether CODEX_HOME names another directory than the shared home: swop does not replace it.
func (i *Invocation) ownHome() bool {
	home, shared := i.Env.Value("CODEX_HOME"), i.Root.SharedHome.Path
	return home != "" && shared != "" && home != shared && !disk.SameFile(home, shared)
}

// WorkDir returns the directory that codex will work in, with links resolved.
func (i *Invocation) WorkDir() (string, error) {
	if i.Dir != "" {
		i.leads = cmp.Or(i.leads, disk.Resolve(i.Dir)) // once: a session can change a link meanwhile
		return i.leads, nil
	}
	dir, err := getwd()
	if err != nil {
		err = fmt.Errorf("cannot find the working directory, which selects the account: %w", err)
		return "", say.WithHint(err, "cd to a directory that exists")
	}
	return dir, nil
}

// PoolDir returns the directory for which a pool remembers its choice, "" where the working directory was removed.
func (i *Invocation) PoolDir() string {
	dir, _ := i.WorkDir() // for an unknown directory nothing is remembered
	return dir
}
