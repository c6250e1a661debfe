//go:build unix

package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"swop/say"
)

func passwdIs(home string) func() (string, error) {
	return func() (string, error) { return home, nil }
}

func noPasswd() (string, error) { return "", errors.New("no such user") }

// configBelow is where the configuration of a home lies that has none yet and sets no variable.
func configBelow(home string) string {
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "swop")
	}
	return filepath.Join(home, ".config", "swop")
}

func TestLocate(t *testing.T) {
	const home = "/home/me"
	for _, tt := range []struct {
		name   string
		env    Env
		passwd string
		want   Places
	}{
		{"home alone", Env{"HOME=/home/me"}, "/other", Places{home, "/home/me/.swop", configBelow(home), 0}},
		{"HOME unset", Env{"A=1"}, home, Places{home, "/home/me/.swop", configBelow(home), 0}},
		{"HOME empty", Env{"HOME="}, home, Places{home, "/home/me/.swop", configBelow(home), 0}},
		{"the first HOME", Env{"HOME=/home/me", "HOME=/b"}, "", Places{home, "/home/me/.swop", configBelow(home), 0}},
		{"root of the system", Env{"HOME=/"}, "", Places{"/", "/.swop", configBelow("/"), 0}},
		{"SWOP_ROOT", Env{"HOME=/home/me", "SWOP_ROOT=/r", "XDG_STATE_HOME=/s", "XDG_CONFIG_HOME=/c"}, "", Places{home, "/r", "/r", 0}},
		{"SWOP_ROOT with a slash", Env{"HOME=/home/me", "SWOP_ROOT=/a/r/"}, "", Places{home, "/a/r", "/a/r", 0}},
		{"SWOP_ROOT with dots", Env{"HOME=/home/me", "SWOP_ROOT=/a/../b/./r"}, "", Places{home, "/b/r", "/b/r", 0}},
		{"SWOP_ROOT empty", Env{"HOME=/home/me", "SWOP_ROOT="}, "", Places{home, "/home/me/.swop", configBelow(home), 0}},
		{"state", Env{"HOME=/home/me", "XDG_STATE_HOME=/s"}, "", Places{home, "/s/swop", configBelow(home), 0}},
		{"state empty", Env{"HOME=/home/me", "XDG_STATE_HOME="}, "", Places{home, "/home/me/.swop", configBelow(home), 0}},
		{"state relative", Env{"HOME=/home/me", "XDG_STATE_HOME=s"}, "", Places{home, "/home/me/.swop", configBelow(home), 0}},
		{"config", Env{"HOME=/home/me", "XDG_CONFIG_HOME=/c/"}, "", Places{home, "/home/me/.swop", "/c/swop", 0}},
		{"config empty", Env{"HOME=/home/me", "XDG_CONFIG_HOME="}, "", Places{home, "/home/me/.swop", configBelow(home), 0}},
		{"config relative", Env{"HOME=/home/me", "XDG_CONFIG_HOME=./c"}, "", Places{home, "/home/me/.swop", configBelow(home), 0}},
		{"both", Env{"HOME=/home/me", "XDG_STATE_HOME=/s", "XDG_CONFIG_HOME=/c"}, "", Places{home, "/s/swop", "/c/swop", 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := Locate(tt.env, passwdIs(tt.passwd)); got != tt.want || err != nil {
				t.Errorf("Locate(%q) = %+v, %v, want %+v", tt.env, got, err, tt.want)
			}
		})
	}
}

func TestLocateRefuses(t *testing.T) {
	const hint = `export HOME="/path/to/your/home"`
	for _, tt := range []struct {
		name   string
		env    Env
		passwd func() (string, error)
		want   string
		hint   string
	}{
		{"HOME relative", Env{"HOME=me"}, passwdIs("/home/me"), `HOME is "me", which is not an absolute path`, hint},
		{"HOME is a dot", Env{"HOME=."}, passwdIs("/home/me"), `HOME is ".", which`, hint},
		{"HOME is a tilde", Env{"HOME=~"}, passwdIs("/home/me"), `HOME is "~", which`, hint},
		{"HOME relative, SWOP_ROOT set", Env{"SWOP_ROOT=/r", "HOME=me"}, passwdIs("/home/me"), `HOME is "me", which`, hint},
		{"no passwd", Env{}, noPasswd, "HOME is not set, and the password database has no home either: no such user", hint},
		{"empty passwd", Env{"HOME="}, passwdIs(""), "HOME is not set, and the home in the password database is empty", hint},
		{"relative passwd", Env{}, passwdIs("home"), `"home", which is not an absolute path`, hint},
		{"SWOP_ROOT relative", Env{"HOME=/home/me", "SWOP_ROOT=r"}, noPasswd, `SWOP_ROOT is "r", which is not an absolute path`, "unset SWOP_ROOT"},
		{"SWOP_ROOT is a tilde", Env{"HOME=/home/me", "SWOP_ROOT=~/r"}, noPasswd, `SWOP_ROOT is "~/r", which`, "unset SWOP_ROOT"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Locate(tt.env, tt.passwd)
			if err == nil || !strings.Contains(err.Error(), tt.want) || got != (Places{}) {
				t.Fatalf("Locate(%q) = %+v, %v, want an error with %q", tt.env, got, err, tt.want)
			}
			if hints := say.Hints(err); !slices.Equal(hints, []string{tt.hint}) {
				t.Errorf("hints %q, want %q", hints, tt.hint)
			}
		})
	}
}

// The password database is asked only where HOME does not say.
func TestLocateAsksLate(t *testing.T) {
	_, err := Locate(Env{"HOME=/home/me"}, func() (string, error) {
		t.Error("the password database was asked")
		return "", nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Our directory of the configuration is adrg/xdg's, which reads the process's environment and so cannot be used itself.
func TestConfigDirIsXDG(t *testing.T) {
	t.Cleanup(xdg.Reload) // after Setenv's own clean-up, which runs first
	homes := []string{t.TempDir(), t.TempDir() + "/", "/", "/home/me", "/home/m e", "/home/../me"}
	configs := []string{
		"", "/c", "/c/", "//c", "/c/../d", "/", ".", "..", "c", "./c", " ", "/c c", "~", "~/c", "$HOME", "$HOME/c", "${HOME}/c", "/$HOME", "/~",
	}
	for _, home := range homes {
		for _, dir := range configs {
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", dir)
			xdg.Reload()
			got, err := Locate(Env{"HOME=" + home, "XDG_CONFIG_HOME=" + dir}, noPasswd)
			if want := filepath.Join(xdg.ConfigHome, "swop"); got.Config != want || err != nil {
				t.Errorf("HOME=%q XDG_CONFIG_HOME=%q: Config = %q, %v, want %q", home, dir, got.Config, err, want)
			}
		}
		if err := os.Unsetenv("XDG_CONFIG_HOME"); err != nil {
			t.Fatal(err)
		}
		xdg.Reload()
		got, err := Locate(Env{"HOME=" + home}, noPasswd)
		if want := filepath.Join(xdg.ConfigHome, "swop"); got.Config != want || err != nil {
			t.Errorf("HOME=%q: Config = %q, %v, want %q", home, got.Config, err, want)
		}
	}
}

// On macOS a ~/.config/swop that is there comes before Application Support; elsewhere it is the place anyway.
func TestConfigDirOfDotfiles(t *testing.T) {
	home := t.TempDir()
	want := filepath.Join(home, ".config", "swop")
	if err := os.MkdirAll(want, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := Locate(Env{"HOME=" + home}, noPasswd); got.Config != want || err != nil {
		t.Errorf("Config = %q, %v, want %q", got.Config, err, want)
	}
}
