package session

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"swop/config"
	"swop/internal/account"
	"swop/internal/account/store"
	"swop/internal/disk"
	"swop/internal/disk/sys"
	"swop/shim"
)

// FindCaller restores the variables of env that the session around this process has set. SWOP_OUTER is believed only inside a session;
// where a filtered environment lost it, the sandbox's meta.json and the root's root.json give the outer values back. A variable that was
// changed inside the session is the caller's own and stays; a path that a login shell made of the session's HOME is one of the real home.
func FindCaller(env config.Env) shim.Caller {
	outer, known := parseOuter(env)
	env = env.Without(shim.OuterVariable, shim.GuardVariable)
	session, ok := store.SessionIn(env)
	if !ok {
		return shim.Caller{Env: env, Account: env.Value("SWOP_ACCOUNT")}
	}
	c := shim.Caller{Env: env, Session: &session}
	root, _ := store.ReadRoot(session.Root) // without it only the variables that root.json explains stay
	if !known {
		outer = recorded(session, root)
	}
	if key, err := config.Key(env.Value("SWOP_ACCOUNT")); err != nil || key != session.Key && key != session.Name {
		c.Account = env.Value("SWOP_ACCOUNT")
	}
	for _, name := range shim.SessionVariables {
		value, set := env.Lookup(name)
		was, known := outer.Lookup(name)
		switch {
		case !set || !isSessions(c, name, value, root):
		case known:
			c.Env = c.Env.With(name, was)
		default:
			c.Env = c.Env.Without(name)
		}
	}
	inner, real := env.Value("HOME"), c.Env.Value("HOME")
	for _, name := range []string{"SWOP_ROOT", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CODEX_HOME", "CODEX_SQLITE_HOME"} {
		if rest, below := strings.CutPrefix(c.Env.Value(name), inner+"/"); below && inner != real {
			c.Env = c.Env.With(name, filepath.Join(real, rest))
		}
	}
	return c
}

// isSessions reports whether a session set the variable called name to value.
func isSessions(c shim.Caller, name, value string, root account.Root) bool {
	switch name {
	case "HOME", "CODEX_HOME":
		_, ok := store.SessionIn(config.Env{name + "=" + value})
		return ok
	case "CODEX_SQLITE_HOME":
		return value == root.SharedHome.Path
	}
	return c.Account == ""
}

// recorded returns the outer values by the files of a session, or by the system where those cannot be read.
func recorded(session account.Session, root account.Root) config.Env {
	home := session.RealHome
	if home == "" {
		home, _ = userHome() // a call without HOME is refused
	}
	outer := config.Env{"HOME=" + home}
	if shared := root.SharedHome.Path; shared != "" && shared != filepath.Join(home, ".codex") {
		outer = outer.With("CODEX_HOME", shared)
	}
	return outer
}

// parseOuter returns the values in SWOP_OUTER, and whether the variable is complete.
func parseOuter(env config.Env) (outer config.Env, known bool) {
	rest, known := env.Lookup(shim.OuterVariable)
	for known && rest != "" {
		quoted, err := strconv.QuotedPrefix(rest)
		entry, _ := strconv.Unquote(quoted) // the prefix is a string
		outer = append(outer, entry)
		rest, known = strings.TrimPrefix(rest[len(quoted):], " "), err == nil
	}
	return outer, known
}

// Look returns the caller and the places of swop's files for an environment. Inside a session whose environment no longer leads to its root
// (SWOP_ROOT or XDG_STATE_HOME were filtered), the sandbox's own path and root.json do. root.json also leads to the configuration where the
// environment of an editor or a timer names a directory that has none.
func Look(env config.Env) (shim.Invocation, error) {
	i := shim.Invocation{Caller: FindCaller(env)}
	var err error
	if i.Places, err = config.Locate(i.Env, userHome); err != nil {
		return i, err
	}
	i.Confined = func(label string) (bool, error) {
		acct, err := store.Store{Layout: account.Layout{Places: i.Places}}.Find(label)
		return acct.Meta.Confine != "", disk.Ignore(err, account.ErrNoAccount)
	}
	stray := i.Session != nil && i.Env.Value("SWOP_ROOT") == "" && i.Places.Root != i.Session.Root
	if stray {
		i.Places.Root = i.Session.Root
	}
	i.Root, err = store.ReadRoot(i.Places.Root)
	err = disk.Ignore(err, fs.ErrNotExist, sys.ENOTDIR) // a root that is no directory is refused when an account is chosen
	if recorded := i.Root.Config; stray && recorded != "" || config.Configured(recorded) && !config.Configured(i.Places.Config) {
		i.Places.Config = recorded
	}
	return i, cmp.Or(err, account.CheckPlaces(i.Places))
}

// userHome returns the home that the system has for the user.
func userHome() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("the password database has no uid %d", os.Getuid()) // err speaks of cgo
	}
	return u.HomeDir, nil
}
