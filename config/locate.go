package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"swop/internal/say"
)

const hintHome = `export HOME="/path/to/your/home"`

// LocateHome returns the places of a user whose environment, outside of any session, is env. passwd returns the home in the password
// database; it is called where HOME is unset or empty, as codex itself does. A HOME or SWOP_ROOT that is not absolute is an
// error; a relative XDG variable is ignored, as its specification says.
func LocateHome(env Env, passwd func() (string, error)) (Places, error) {
	home, err := homeDir(env, passwd)
	if err != nil {
		return Places{}, err
	}
	if root := env.Value("SWOP_ROOT"); root != "" && !filepath.IsAbs(root) {
		return Places{}, say.WithHint(fmt.Errorf("SWOP_ROOT is %q, which is not an absolute path", root), "unset SWOP_ROOT")
	}
	places, _ := Locate(env.With(HomeVariable, home)) // with an absolute HOME and SWOP_ROOT it always answers
	return places, nil
}

func homeDir(env Env, passwd func() (string, error)) (string, error) {
	home := env.Value(HomeVariable)
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
