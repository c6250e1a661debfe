package config

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// What can be told from the environment alone is; a test of package file compares it with the full answer.
func TestLocate(t *testing.T) {
	for _, tt := range []struct {
		env  Env
		want Places // zero: not fast
	}{
		{Env{"HOME=/h", "SWOP_ROOT=/r/", "XDG_CONFIG_HOME=~/c"}, Places{Home: "/h", Root: "/r", Config: "/r"}},
		{Env{"HOME=/h", "XDG_STATE_HOME=/s", "XDG_CONFIG_HOME=/c/"}, Places{Home: "/h", Root: "/s/swop", Config: "/c/swop"}},
		{Env{"HOME=/h", "XDG_STATE_HOME=s", "XDG_CONFIG_HOME=/c"}, Places{Home: "/h", Root: "/h/.swop", Config: "/c/swop"}},
		{Env{"HOME=/h"}, Places{Home: "/h", Root: "/h/.swop", Config: "/h/.config/swop"}},
		{Env{"HOME=/h", "XDG_CONFIG_HOME="}, Places{Home: "/h", Root: "/h/.swop", Config: "/h/.config/swop"}},
		{Env{"HOME=/h", "XDG_CONFIG_HOME=~/c"}, Places{}},
		{Env{"HOME=/h", "XDG_CONFIG_HOME=c"}, Places{}},
		{Env{"HOME=/h", "SWOP_ROOT=r"}, Places{}},
		{Env{"HOME=h", "SWOP_ROOT=/r"}, Places{}},
		{Env{"HOME=", "SWOP_ROOT=/r"}, Places{}},
		{Env{}, Places{}},
	} {
		if tt.want.Config == "/h/.config/swop" {
			tt.want.Config = configDir(runtime.GOOS, "/h")
		}
		if got, ok := Locate(tt.env); got != tt.want || ok != (tt.want != Places{}) {
			t.Errorf("Locate(%q) = %+v, %t, want %+v", tt.env, got, ok, tt.want)
		}
	}
}

// On macOS the configuration lies in Library, unless ~/.config/swop is a directory already; elsewhere always in ~/.config.
func TestConfigDir(t *testing.T) {
	empty, dotfiles, file := t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{filepath.Join(dotfiles, ".config", "swop"), filepath.Join(file, ".config")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(file, ".config", "swop"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ system, home, want string }{
		{"linux", empty, ".config/swop"},
		{"linux", dotfiles, ".config/swop"},
		{"darwin", empty, "Library/Application Support/swop"},
		{"darwin", dotfiles, ".config/swop"},
		{"darwin", file, "Library/Application Support/swop"},
	} {
		if got, want := configDir(tt.system, tt.home), filepath.Join(tt.home, filepath.FromSlash(tt.want)); got != want {
			t.Errorf("configDir(%q, %q) = %q, want %q", tt.system, tt.home, got, want)
		}
	}
}
