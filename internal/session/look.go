package session

import (
	"errors"
	"io/fs"
	"os/user"

	"swop/config"
	"swop/internal/account/store"
	"swop/internal/disk/sys"
	"swop/shim"
)

// Look returns what a call with the environment env finds: who calls, and where swop's files are. Inside a session whose environment no
// longer leads to its root (SWOP_ROOT or XDG_STATE_HOME were filtered), the sandbox's own path and root.json do.
func Look(env config.Env) (shim.Invocation, error) {
	i := shim.Invocation{Caller: FindCaller(env)}
	var err error
	if i.Places, err = config.Locate(i.Env, userHome); err != nil {
		return i, err
	}
	stray := i.Session != nil && i.Env.Value("SWOP_ROOT") == "" && i.Places.Root != i.Session.Root
	if stray {
		i.Places.Root = i.Session.Root
	}
	i.Root, err = store.ReadRoot(i.Places.Root)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, sys.ENOTDIR) {
		err = nil // a root that is no directory is refused when an account is chosen
	}
	if stray && i.Root.Config != "" {
		i.Places.Config = i.Root.Config
	}
	return i, err
}

// userHome returns the home that the system has for the user.
func userHome() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}
