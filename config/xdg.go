package config

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/adrg/xdg"

	"swop/internal/disk"
)

// reloading is held while the process's environment is another one.
var reloading sync.Mutex

// configHome returns where the programs of the user whose environment is env keep their configuration, as adrg/xdg knows it. That reads the
// environment of the process, which inside of a session is not the user's own: it is changed for the question. On macOS and Windows an
// existing ~/.config/swop comes first, which xdg does not know.
func configHome(env Env) string {
	usual := filepath.Join(env.Value(homeVariable), ".config")
	if runtime.GOOS != "linux" && env.Value(xdgConfig) == "" && disk.IsDir(filepath.Join(usual, "swop")) {
		return usual
	}
	reloading.Lock()
	defer reloading.Unlock()
	if env.Value(homeVariable) == os.Getenv(homeVariable) && env.Value(xdgConfig) == os.Getenv(xdgConfig) {
		return xdg.ConfigHome
	}
	defer xdg.Reload()
	for _, name := range []string{homeVariable, xdgConfig} {
		was, set := os.LookupEnv(name)
		value, wanted := env.Lookup(name)
		setVariable(name, value, wanted)
		defer setVariable(name, was, set)
	}
	xdg.Reload()
	return xdg.ConfigHome
}

const xdgConfig = "XDG_CONFIG_HOME"

// setVariable sets a variable, or removes it: either fails for no value that an environment has.
func setVariable(name, value string, set bool) {
	_ = os.Unsetenv(name)
	if set {
		_ = os.Setenv(name, value)
	}
}
