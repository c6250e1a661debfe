//go:build unix

package install

import (
	"debug/buildinfo"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"swop/config"
)

// mainOf returns the package that swop's program called name is built from, as Go wrote it into the file: other programs have the same name.
func mainOf(name string) string {
	return map[string]string{"codex": "swop/shim/codex", "codex-swop": "swop/manager/codex-swop"}[name]
}

// checkProgram returns an error unless path is a build of the program of that name.
func checkProgram(path string) error { return checkBuild(path, filepath.Base(path)) }

// checkBuild returns an error unless path is a build of the program called name.
func checkBuild(path, name string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("not a program of swop: %w", err)
	}
	if info.Path != mainOf(name) {
		return fmt.Errorf("%s is not swop's: it was built from %q", path, info.Path)
	}
	return nil
}

// IsShim reports whether the file is a build of swop's shim, of any version.
func IsShim(file string) bool { return checkBuild(file, "codex") == nil }

// WithoutShims returns env without the directories of PATH in which codex is a shim, of any installation: behind them is the real one, as
// the shim itself finds it.
func WithoutShims(env config.Env) config.Env {
	dirs := slices.DeleteFunc(filepath.SplitList(env.Value("PATH")), func(dir string) bool {
		return filepath.IsAbs(dir) && IsShim(filepath.Join(dir, "codex"))
	})
	return env.With("PATH", strings.Join(dirs, string(filepath.ListSeparator)))
}

// SameBuild reports whether the two programs in bin were built from one revision, as far as they tell.
func SameBuild(bin string) bool {
	var built [2]string
	for i, name := range programNames {
		info, err := buildinfo.ReadFile(filepath.Join(bin, name))
		if err != nil {
			return false
		}
		built[i] = info.Main.Version
		for _, setting := range info.Settings {
			if strings.HasPrefix(setting.Key, "vcs.") {
				built[i] += " " + setting.Value
			}
		}
	}
	return built[0] == built[1]
}
