package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/adrg/xdg"

	"swop/config"
	"swop/disk"
	"swop/say"
)

const hintHome = `export HOME="/path/to/your/home"`

// Locate returns the places of a user whose environment, outside of any session, is env. passwd returns the home in the password
// database; it is called where HOME is unset or empty, as codex itself does. A HOME or SWOP_ROOT that is not absolute is an
// error; a relative XDG variable is ignored, as its specification says.
func Locate(env config.Env, passwd func() (string, error)) (config.Places, error) {
	if places, ok := config.Locate(env); ok {
		return places, nil
	}
	return locate(env, passwd)
}

// locate is [Locate] without the help of the fast path.
func locate(env config.Env, passwd func() (string, error)) (config.Places, error) {
	home, err := homeDir(env, passwd)
	if err != nil {
		return config.Places{}, err
	}
	if root := env.Value("SWOP_ROOT"); root != "" {
		if !filepath.IsAbs(root) {
			return config.Places{}, say.WithHint(fmt.Errorf("SWOP_ROOT is %q, which is not an absolute path", root), "unset SWOP_ROOT")
		}
		root = filepath.Clean(root)
		return config.Places{Home: home, Root: root, Config: root}, nil
	}
	base, err := configHome(env, home)
	if err != nil {
		return config.Places{}, err
	}
	return config.Places{Home: home, Root: config.StateRoot(env, home), Config: configDir(runtime.GOOS, base, home)}, nil
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

// configDir returns swop/ below base, the user's directory for configuration, on a system of this name. On macOS an existing ~/.config/swop
// comes before swop/ in Library/Application Support.
func configDir(system, base, home string) string {
	dotfiles := filepath.Join(home, ".config", "swop")
	if system == "darwin" && base == filepath.Join(home, "Library", "Application Support") && disk.IsDir(dotfiles) {
		return dotfiles
	}
	return filepath.Join(base, "swop")
}

// One at a time: xdg keeps its answers in variables of its own.
var xdgInUse sync.Mutex

// configHome returns what adrg/xdg calls ConfigHome, for env and home. xdg reads the environment of this process, where HOME may be a
// sandbox's: it is changed while xdg reads it.
func configHome(env config.Env, home string) (string, error) {
	xdgInUse.Lock()
	defer xdgInUse.Unlock()
	for _, v := range []config.Variable{{Name: "HOME", Value: home}, {Name: "XDG_CONFIG_HOME", Value: env.Value("XDG_CONFIG_HOME")}} {
		defer restore(v.Name)()
		if err := os.Setenv(v.Name, v.Value); err != nil {
			return "", err
		}
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
