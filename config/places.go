package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"swop/manager/disk"
	"swop/say"
)

// Places are the directories that a call works with. All are absolute; none need exist.
type Places struct {
	Home   string // the user's own home, never a sandbox's
	Root   string // swop's root: root.json, accounts, locks
	Config string // where selector.toml and config.toml lie
	// Owner is one more user, beside the effective one, whose files are trusted: HOME's owner, where root may act for him. 0 for none.
	Owner int
}

// Locate returns the places of a user whose environment, outside of any session, is env. passwd returns the home of the password
// database; it is asked where HOME is unset or empty, as codex itself does. A HOME or SWOP_ROOT that is not absolute is an
// error; a relative XDG variable is ignored, as its specification says.
func Locate(env Env, passwd func() (string, error)) (Places, error) {
	home, err := homeDir(env, passwd)
	if err != nil {
		return Places{}, err
	}
	root := env.Value("SWOP_ROOT")
	if root != "" {
		if !filepath.IsAbs(root) {
			return Places{}, say.WithHint(fmt.Errorf("SWOP_ROOT is %q, which is not an absolute path", root), "unset SWOP_ROOT")
		}
		root = filepath.Clean(root) // what lies in it is found by clean paths: what is checked shall be the same
		return Places{Home: home, Root: root, Config: root}, nil
	}
	return Places{Home: home, Root: stateRoot(env, home), Config: configDir(env, home)}, nil
}

func homeDir(env Env, passwd func() (string, error)) (string, error) {
	home := env.Value("HOME")
	if home == "" {
		var err error
		if home, err = passwd(); err != nil {
			return "", say.WithHint(fmt.Errorf("HOME is not set, and the password database has no home either: %v", err), `export HOME="/path/to/your/home"`)
		}
		if home == "" {
			return "", say.WithHint(errors.New("HOME is not set, and the home in the password database is empty"), `export HOME="/path/to/your/home"`)
		}
	}
	if !filepath.IsAbs(home) {
		return "", say.WithHint(fmt.Errorf("HOME is %q, which is not an absolute path", home), `export HOME="/path/to/your/home"`)
	}
	return home, nil
}

func stateRoot(env Env, home string) string {
	if state := env.Value("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "swop")
	}
	return filepath.Join(home, ".swop")
}

// configDir is swop/ below the directory that adrg/xdg calls ConfigHome; on macOS a ~/.config/swop comes first if it is there.
// The library is not linked: it reads user-dirs.dirs at every start, and the environment of the process instead of env. A test
// holds the two equal.
func configDir(env Env, home string) string {
	base := expandHome(env.Value("XDG_CONFIG_HOME"), home)
	if filepath.IsAbs(base) {
		return filepath.Join(base, "swop")
	}
	plain := filepath.Join(home, ".config", "swop")
	if runtime.GOOS == "darwin" && !disk.IsDir(plain) {
		return filepath.Join(home, "Library", "Application Support", "swop")
	}
	return plain
}

// expandHome replaces a leading ~ or $HOME by home, as adrg/xdg does for those who quoted too much.
func expandHome(path, home string) string {
	for _, name := range []string{"~", "$HOME"} {
		if rest, ok := strings.CutPrefix(path, name); ok && (rest == "" || rest[0] == '/') {
			return filepath.Join(home, rest)
		}
	}
	return path
}
