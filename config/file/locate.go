package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/adrg/xdg"

	"swop/config"
	"swop/say"
)

const hintHome = `export HOME="/path/to/your/home"`

// Locate returns the places of a user whose environment, outside of any session, is env. passwd returns the home in the password
// database; it is called where HOME is unset or empty, as codex itself does. A HOME or SWOP_ROOT that is not absolute is an
// error; a relative XDG variable is ignored, as its specification says.
func Locate(env config.Env, passwd func() (string, error)) (config.Places, error) {
	home, err := homeDir(env, passwd)
	if err != nil {
		return config.Places{}, err
	}
	if root := env.Value("SWOP_ROOT"); root != "" && !filepath.IsAbs(root) {
		return config.Places{}, say.WithHint(fmt.Errorf("SWOP_ROOT is %q, which is not an absolute path", root), "unset SWOP_ROOT")
	}
	env = env.With("HOME", home)
	places, ok := config.Locate(env)
	if !ok { // XDG_CONFIG_HOME is not absolute
		if env, err = expandConfigHome(env, home); err == nil {
			places, _ = config.Locate(env)
		}
	}
	return places, err
}

func homeDir(env config.Env, passwd func() (string, error)) (string, error) {
	home := env.Value("HOME")
	if home == "" {
		var err error
		if home, err = passwd(); err != nil {
			return "", say.WithHint(fmt.Errorf("HOME is not set, and the password database has no home either: %v", err), hintHome)
		}
		if home == "" {
			return "", say.WithHint(errors.New("HOME is not set, and the home in the password database is empty"), hintHome)
		}
	}
	if !filepath.IsAbs(home) {
		return "", say.WithHint(fmt.Errorf("HOME is %q, which is not an absolute path", home), hintHome)
	}
	return home, nil
}

// expandConfigHome returns env with XDG_CONFIG_HOME as adrg/xdg reads it, which expands ~ and $HOME, or without one that it ignores.
func expandConfigHome(env config.Env, home string) (config.Env, error) {
	dir, err1 := configHome(home, env.Value("XDG_CONFIG_HOME"))
	without, err2 := configHome(home, "")
	if dir == without {
		return env.Without("XDG_CONFIG_HOME"), errors.Join(err1, err2)
	}
	return env.With("XDG_CONFIG_HOME", dir), errors.Join(err1, err2)
}

// One at a time: xdg keeps its answers in variables of its own.
var xdgInUse sync.Mutex

// configHome returns what adrg/xdg calls ConfigHome, for a user with this home and XDG_CONFIG_HOME. xdg reads the environment of this process,
// where HOME may be a sandbox's: it is changed while xdg reads it.
func configHome(home, variable string) (string, error) {
	xdgInUse.Lock()
	defer xdgInUse.Unlock()
	defer restore("HOME")()
	defer restore("XDG_CONFIG_HOME")()
	if err := errors.Join(os.Setenv("HOME", home), os.Setenv("XDG_CONFIG_HOME", variable)); err != nil {
		return "", err
	}
	xdg.Reload()
	return xdg.ConfigHome, nil
}

// restore returns a function that gives a variable of this process the value that it has now.
func restore(name string) func() {
	value, ok := os.LookupEnv(name)
	return func() {
		if ok {
			_ = os.Setenv(name, value) // it was set to that before
		} else {
			_ = os.Unsetenv(name) // cannot fail
		}
	}
}
