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

	"swop/internal/say"
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

func TestLocatePlaces(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "/of/the/process") // which another user's answer neither takes nor changes
	defer func() {
		if got := os.Getenv("XDG_CONFIG_HOME"); got != "/of/the/process" {
			t.Errorf("afterwards XDG_CONFIG_HOME is %q", got)
		}
	}()
	const home = "/home/me"
	for _, tt := range []struct {
		name   string
		env    Env
		passwd string
		want   Places
	}{
		{"home alone", Env{"HOME=/home/me"}, "", Places{Home: home, Root: "/home/me/.swop", Config: configBelow(home)}},
		{"HOME unset", Env{"A=1"}, home, Places{Home: home, Root: "/home/me/.swop", Config: configBelow(home)}},
		{"SWOP_ROOT", Env{"HOME=/home/me", "SWOP_ROOT=/r", "XDG_STATE_HOME=/s", "XDG_CONFIG_HOME=/c"}, "", Places{Home: home, Root: "/r", Config: "/r"}},
		{"SWOP_ROOT with dots", Env{"HOME=/home/me", "SWOP_ROOT=/a/../b/./r"}, "", Places{Home: home, Root: "/b/r", Config: "/b/r"}},
		{"state", Env{"HOME=/home/me", "XDG_STATE_HOME=/s"}, "", Places{Home: home, Root: "/s/swop", Config: configBelow(home)}},
		{"state relative", Env{"HOME=/home/me", "XDG_STATE_HOME=s"}, "", Places{Home: home, Root: "/home/me/.swop", Config: configBelow(home)}},
		{"config", Env{"HOME=/home/me", "XDG_CONFIG_HOME=/c/"}, "", Places{Home: home, Root: "/home/me/.swop", Config: "/c/swop"}},
		{"config relative", Env{"HOME=/home/me", "XDG_CONFIG_HOME=./c"}, "", Places{Home: home, Root: "/home/me/.swop", Config: configBelow(home)}},
		{"config with a tilde", Env{"HOME=/home/me", "XDG_CONFIG_HOME=~/c"}, "", Places{Home: home, Root: "/home/me/.swop", Config: "/home/me/c/swop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			passwd := func() (string, error) {
				if tt.passwd == "" {
					t.Error("the password database was asked")
				}
				return tt.passwd, nil
			}
			if got, err := Locate(tt.env, passwd); got != tt.want || err != nil {
				t.Errorf("Locate(%q) = %+v, %v, want %+v", tt.env, got, err, tt.want)
			}
		})
	}
}

// Each of the three places that is not the root, with the line that makes it the root.
func TestOtherRoots(t *testing.T) {
	const home = "/home/me"
	byHome, byDefault := OtherRoot{"/home/me/.swop", "unset XDG_STATE_HOME"},
		OtherRoot{"/home/me/.local/state/swop", "export XDG_STATE_HOME=/home/me/.local/state"}
	for _, tt := range []struct {
		env  Env
		want []OtherRoot
	}{
		{Env{"HOME=" + home}, []OtherRoot{byDefault}},
		{Env{"HOME=" + home, "XDG_STATE_HOME=/s"}, []OtherRoot{byHome}},
		{Env{"HOME=" + home, "XDG_STATE_HOME=/home/me/.local/state"}, []OtherRoot{byHome}},
		{Env{"HOME=" + home, "SWOP_ROOT=/r"}, []OtherRoot{{byDefault.Dir, byDefault.Line + " SWOP_ROOT="}, {byHome.Dir, "unset SWOP_ROOT"}}},
		{Env{"HOME=" + home, "SWOP_ROOT=/r", "XDG_STATE_HOME=/s"}, []OtherRoot{{"/s/swop", "unset SWOP_ROOT"}, {byHome.Dir, "unset SWOP_ROOT XDG_STATE_HOME"}}},
	} {
		p, err := Locate(tt.env, noPasswd)
		if got := p.OtherRoots(tt.env); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("OtherRoots(%q) = %q, %v\nwant %q", tt.env, got, err, tt.want)
		}
		for _, other := range tt.want {
			if again, err := Locate(withLine(tt.env, other.Line), noPasswd); again.Root != other.Dir || err != nil {
				t.Errorf("after %s the root is %s, %v, want %s", other.Line, again.Root, err, other.Dir)
			}
		}
	}
}

// withLine returns the environment after export or unset.
func withLine(env Env, line string) Env {
	words := strings.Fields(line)
	for _, word := range words[1:] {
		if name, value, _ := strings.Cut(word, "="); words[0] == "export" {
			env = env.With(name, value)
		} else {
			env = env.Without(name)
		}
	}
	return env
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
		{"HOME relative", Env{"HOME=me"}, passwdIs("/home/me"), `HOME is "me", which cannot be used: it is not an absolute path`, hint},
		{"no passwd", Env{}, noPasswd, `HOME is "", which cannot be used: no such user`, hint},
		{"empty passwd", Env{"HOME="}, passwdIs(""), `HOME is "", which`, hint},
		{"SWOP_ROOT relative", Env{"HOME=/home/me", "SWOP_ROOT=r"}, noPasswd, `SWOP_ROOT is "r", which is not an absolute path`, "unset SWOP_ROOT"},
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
