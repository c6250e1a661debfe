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
	usual := filepath.Join(env.Value(HomeVariable), ".config")
	if runtime.GOOS != "linux" && env.Value(xdgConfig) == "" && disk.IsDir(filepath.Join(usual, "swop")) {
		return usual
	}
	reloading.Lock()
	defer reloading.Unlock()
	var restore []func() error
	for _, name := range []string{HomeVariable, xdgConfig} {
		was, set := os.LookupEnv(name)
		value, wanted := env.Lookup(name)
		if was == value && set == wanted {
			continue
		}
		restore = append(restore, func() error { return setVariable(name, was, set) })
		_ = setVariable(name, value, wanted) // a value of the environment can be set
	}
	if restore == nil {
		return xdg.ConfigHome
	}
	xdg.Reload()
	dir := xdg.ConfigHome
	for _, undo := range restore {
		_ = undo()
	}
	xdg.Reload()
	return dir
}

const xdgConfig = "XDG_CONFIG_HOME"

func setVariable(name, value string, set bool) error {
	if !set {
		return os.Unsetenv(name)
	}
	return os.Setenv(name, value)
}
